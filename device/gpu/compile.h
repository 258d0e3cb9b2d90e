// Compiles a kernel's text to a GPU's code with the vendors' run-time compilers. Needs no GPU.
#ifndef DEVICE_GPU_COMPILE_H
#define DEVICE_GPU_COMPILE_H

#include "device/device.h"
#include "device/gpu/compiler.h"

// Machine code (a cubin, a code object), or PTX, which ends with a NUL that size counts.
struct gpu_code {
    char *bytes; // to be freed
    size_t size;
};

// arch: "sm_90" (a cubin), "compute_90" (PTX), "gfx90a", "gfx90a:sramecc+:xnack-".
// Returns STATUS_NO_DEVICE if the compiler is missing, and STATUS_FAILED if the kernel does not compile: the line names
// the file, the entry, the arch and the parameters, and the compiler's log is attached.
enum status gpu_compile(const struct gpu_compiler *compiler, const struct kernel_request *request, const char *arch,
                        uint32_t warp_width, struct gpu_code *code, struct error *error);

#endif
