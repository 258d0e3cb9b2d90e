// A vendor's run-time compiler as one table of calls: NVRTC and hiprtc are called alike. A call returns the vendor's
// own result, an int; 0 is success with both.
#ifndef DEVICE_GPU_COMPILER_H
#define DEVICE_GPU_COMPILER_H

#include <stddef.h>

#include "device/gpu/library.h"

struct gpu_compiler {
    const char *name;           // "NVRTC"
    const char *arch_option;    // "--gpu-architecture="
    const char *const *options; // of every compilation, NULL at the end
    struct library_table *library;

    void (*version)(int *major, int *minor);
    const char *(*error_text)(int result);
    int (*create)(void **program, const char *text, const char *file_name, const char *header, const char *header_name);
    int (*compile)(void *program, int count, const char *const *options);
    void (*destroy)(void *program);
    int (*log_size)(void *program, size_t *size);
    int (*log)(void *program, char *log);
    // Machine code, or PTX where arch is a virtual one.
    int (*code_size)(void *program, const char *arch, size_t *size);
    int (*code)(void *program, const char *arch, char *code);
};

extern const struct gpu_compiler nvrtc_compiler, hiprtc_compiler;

#endif
