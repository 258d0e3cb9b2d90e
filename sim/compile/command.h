// Finds LLVM's programs.
// The commands by which the host's compiler compiles kernels.
#ifndef SIM_COMPILE_COMMAND_H
#define SIM_COMPILE_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "device/launch.h"
#include "model/gpus.h"
#include "sim/compile/process.h"

// ROCm's own program of this name, else the newest in PATH, such as clang-19, else the one without a version. False if
// there is none.
bool sim_find_llvm_tool(const char *name, char path[PATH_MAX]);

// The version of LLVM in such a program's path, as in clang-19, else the one that it tells; 0: unknown.
int sim_llvm_tool_version(const char *path);

enum {
    COMMAND_WORDS = 255 // at most
};

// The words of a command line, terminated by NULL.
struct command {
    char *word[COMMAND_WORDS + 1];
    size_t count;
    bool cut; // whether a word did not fit
};

void command_add(struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
void command_free(struct command *command);

// Adds the compiler that CC names. CC may contain arguments: "gcc -m64".
void command_add_compiler(struct command *command);

// The part that is the same for all kernels of a language on GPUs with warps of one width.
struct command command_of_dialect(const struct scratch *scratch, enum kernel_language language, const struct gpu *gpu,
                                  bool gcc);

// What compiles the scratch folder's kernel.c, but for what it makes.
struct command command_of_kernel(const struct scratch *scratch, const struct kernel_request *request,
                                 const struct gpu *gpu, bool gcc);

#endif
