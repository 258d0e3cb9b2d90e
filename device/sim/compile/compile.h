// Compiles a kernel's text to a library that calls the simulator before each access.
#ifndef DEVICE_SIM_COMPILE_COMPILE_H
#define DEVICE_SIM_COMPILE_COMPILE_H

#include "device/device.h"

// The compiler of a device.
struct sim_compiler {
    const char *version; // the text of sim_compiler_version
    char *own_dialect;   // the dialect of the program's own kernels after preprocessing; NULL: not yet known
};

// Compiles and loads. *handle comes from dlopen; *debug is a descriptor of the library's file, which has been unlinked.
// STATUS_FAILED, with the compiler's log, if the compiler is missing, is killed or reports errors.
enum status sim_compile(const struct kernel_request *request, const struct gpu *gpu, struct sim_compiler *compiler,
                        void **handle, int *debug, struct error *error);

// The first line that the compiler prints for --version; empty if it cannot be run.
void sim_compiler_version(char *text, size_t size);

#endif
