// From a kernel's text to a GPU's code, by the vendors' run-time compilers. Needs no GPU.
#ifndef DEVICE_GPU_COMPILE_H
#define DEVICE_GPU_COMPILE_H

#include "device/device.h"

// Machine code (a cubin, a code object), or PTX, which ends with a NUL that size counts.
struct gpu_code {
    char *bytes; // to be freed
    size_t size;
};

// arch: "sm_90" (a cubin), "compute_90" (PTX).
// STATUS_NO_DEVICE where NVRTC is missing; STATUS_FAILED where the kernel does not compile: the line names the file,
// the entry, the arch and the parameters, and the compiler's log is attached.
enum status cuda_compile(const struct kernel_request *request, const char *arch, uint32_t warp_width,
                         struct gpu_code *code, struct error *error);

// The same for HIP. arch: "gfx90a", "gfx90a:sramecc+:xnack-".
enum status hip_compile(const struct kernel_request *request, const char *arch, uint32_t warp_width,
                        struct gpu_code *code, struct error *error);

// ---- what both share (compile.c) ----

// The text of device/kernel/kernel.h.
extern const char gpu_kernel_header[];

// A compiler's command line. The options point into text: not to be copied.
struct gpu_options {
    const char *option[64];
    int count;
    char text[4096];
    size_t text_length;
};

enum status gpu_options_add(struct gpu_options *options, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// -DNAME=VALUE for each constant and for WARP_WIDTH.
enum status gpu_options_add_constants(struct gpu_options *options, const struct kernel_request *request,
                                      uint32_t warp_width, struct error *error);

// STATUS_FAILED, and why: reason is the compiler's name of its error.
enum status gpu_compile_failed(const struct kernel_request *request, const char *arch,
                               const struct gpu_options *options, const char *reason, const char *log,
                               struct error *error);

#endif
