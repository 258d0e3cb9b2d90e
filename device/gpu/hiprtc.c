// HIP's run-time compiler.
#include <dlfcn.h>
#include <hip/hiprtc.h>

#include "device/gpu/compile.h"
#include "device/gpu/rocm.h"

#define COMPILER_CALLS(F)                                                                                              \
    F(version, hiprtcVersion)                                                                                          \
    F(error_text, hiprtcGetErrorString)                                                                                \
    F(create, hiprtcCreateProgram)                                                                                     \
    F(compile, hiprtcCompileProgram)                                                                                   \
    F(destroy, hiprtcDestroyProgram)                                                                                   \
    F(log_size, hiprtcGetProgramLogSize)                                                                               \
    F(log, hiprtcGetProgramLog)                                                                                        \
    F(code_size, hiprtcGetCodeSize)                                                                                    \
    F(code, hiprtcGetCode)

// Up to ROCm 5.2 hiprtc was a part of the HIP library.
static const struct library_search compiler_search = {
    .title = "hiprtc",
    .names = (const char *const[]){"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                                   "libamdhip64.so", "libamdhip64.so.5", NULL},
    ROCM_PLACES("HIP runtime"),
};

static bool suits_driver(void *handle, int driver_major) {
    (void)driver_major;
    return dlsym(handle, "hiprtcCreateProgram") != NULL;
}

COMPILER_LIBRARY(compiler_search, suits_driver)
COMPILER_DEFINITIONS(hiprtcProgram, hiprtcResult)

static int code_size(void *program, const char *arch, size_t *size) {
    (void)arch;
    return (int)calls.code_size(program, size);
}

static int get_code(void *program, const char *arch, char *code) {
    (void)arch;
    return (int)calls.code(program, code);
}

static const char *const options[] = {"-std=c++17", "-O3", NULL};

const struct gpu_compiler hiprtc_compiler = {
    .name = "hiprtc",
    .arch_option = "--offload-arch=",
    .options = options,
    COMPILER_ROWS,
};
