// The commands by which the host's compiler compiles kernels.
#ifndef SIM_COMPILE_COMPILE_H
#define SIM_COMPILE_COMPILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "device/device.h"
#include "device/launch.h"
#include "model/gpus.h"
#include "sim/process.h"
#include "util/error.h"

// The words of a command line.
struct command {
    char **word;
    size_t count;
};

void command_add(struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
void command_add_all(struct command *command, const char *const *words); // NULL ends them
char *const *command_words(struct command *command);                     // NULL ends them
void command_free(struct command *command);

// Adds the option with the folder of a file, in which headers may stand.
void command_add_folder(struct command *command, const char *option, const char *file_name);
void command_add_constants(struct command *command, const struct kernel_request *request);

// Turns the command into one that writes this file of the scratch folder, runs it and frees its words.
enum status command_run(struct command *command, const struct scratch *scratch, const char *file, struct error *error);

// Turns the command into one that only preprocesses, runs it and frees its words. The caller frees the text; NULL if it
// cannot be had.
char *command_preprocess(struct command *command, const struct scratch *scratch);

// Writes each list of headers into the folder; NULL stands for an empty one.
enum status sim_write_headers(const struct scratch *scratch, const struct kernel_header *const *lists, size_t count,
                              struct error *error);

// Compiles a kernel's text to a library that calls the simulator before each access.

// The compiler of a device.
struct sim_compiler {
    const struct gpu *gpu; // the device's
    const char *version;   // the text of sim_compiler_version
    bool loads_later;      // what it compiles is loaded by sim_library_load, and not when it is compiled
    // By language, what the compiler and the host's headers make of what every kernel of the program's own, or every
    // translation, includes; NULL: not yet known. sim_compiler_forget frees them.
    char *preprocessed[KERNEL_AMDGCN + 1];
};

// A compiled kernel.
struct sim_library {
    int file;     // of the library, which has been unlinked
    void *handle; // from dlopen; NULL: it is not loaded yet
    char path[PATH_MAX];
};

// Compiles, and loads unless that is left for later. STATUS_FAILED, with the compiler's log, if the compiler is
// missing, is killed or reports errors.
enum status sim_compile(const struct kernel_request *request, struct sim_compiler *compiler,
                        struct sim_library *library, struct error *error);

// Loads a library that sim_compile has left for later, in a process that sim_confine_kernels confines by now: a library
// may run code as soon as it is loaded.
enum status sim_library_load(struct sim_library *library, struct error *error);
void sim_library_close(struct sim_library *library);

// Whether the kernel is one of the program's own. Such a kernel includes its request's headers and the dialect's, and
// no other file.
static inline bool sim_is_own_kernel(const struct kernel_request *request) {
    return request->language == KERNEL_C && !request->from_file;
}

void sim_compiler_forget(struct sim_compiler *compiler);

// The first line that the compiler prints for --version; empty if it cannot be run.
void sim_compiler_version(char *text, size_t size);

#endif
