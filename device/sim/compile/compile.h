// From a kernel's text to a library that calls the simulator at each of its accesses.
#ifndef DEVICE_SIM_COMPILE_COMPILE_H
#define DEVICE_SIM_COMPILE_COMPILE_H

#include "device/device.h"

// Compiles and loads. compiler is what sim_compiler_version told. *handle is dlopen's; *debug is a descriptor of the
// library's file, which has no name any more. A compiler that is missing, killed or finds errors: STATUS_FAILED, its
// log attached.
enum status sim_compile(const struct kernel_request *request, const struct gpu *gpu, const char *compiler,
                        void **handle, int *debug, struct error *error);

// The first line of what the compiler says of itself; empty if it cannot be run.
void sim_compiler_version(char *text, size_t size);

#endif
