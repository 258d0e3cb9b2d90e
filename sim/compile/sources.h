// Writes a kernel's text, and the headers that it includes, for the host's compiler.
#ifndef SIM_COMPILE_SOURCES_H
#define SIM_COMPILE_SOURCES_H

#include <stdio.h>

#include "device/device.h"
#include "sim/compile/process.h"

// Writes kernel.c and the headers into the folder.
enum status sim_write_sources(const struct scratch *scratch, const struct kernel_request *request,
                              const struct gpu *gpu, bool gcc, struct error *error);

// Whether the kernel is one of the program's own. Such a kernel includes its request's headers and the dialect's, and
// no other file.
bool sim_is_own_kernel(const struct kernel_request *request);

// Prints these headers.
void sim_print_own_headers(const struct kernel_request *request, FILE *out);

#endif
