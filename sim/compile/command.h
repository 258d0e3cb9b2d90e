// The commands by which the host's compiler compiles kernels.
#ifndef SIM_COMPILE_COMMAND_H
#define SIM_COMPILE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "device/device.h"
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

// ---- The files that the compiler reads ----

// Writes kernel.c and the headers into the folder.
enum status sim_write_sources(const struct scratch *scratch, const struct kernel_request *request,
                              const struct gpu *gpu, bool gcc, struct error *error);

// Whether the kernel is one of the program's own. Such a kernel includes its request's headers and the dialect's, and
// no other file.
bool sim_is_own_kernel(const struct kernel_request *request);

// Prints these headers.
void sim_print_own_headers(const struct kernel_request *request, FILE *out);

#endif
