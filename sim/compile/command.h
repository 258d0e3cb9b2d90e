// The commands by which the host's compiler compiles kernels.
#ifndef SIM_COMPILE_COMMAND_H
#define SIM_COMPILE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "device/launch.h"
#include "model/gpus.h"
#include "sim/compile/process.h"

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
