// CUDA's run-time compiler.
#include <dlfcn.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpu/compile.h"

#define COMPILER_CALLS(F)                                                                                              \
    F(version, nvrtcVersion)                                                                                           \
    F(error_text, nvrtcGetErrorString)                                                                                 \
    F(arch_count, nvrtcGetNumSupportedArchs)                                                                           \
    F(archs, nvrtcGetSupportedArchs)                                                                                   \
    F(create, nvrtcCreateProgram)                                                                                      \
    F(compile, nvrtcCompileProgram)                                                                                    \
    F(destroy, nvrtcDestroyProgram)                                                                                    \
    F(log_size, nvrtcGetProgramLogSize)                                                                                \
    F(log, nvrtcGetProgramLog)                                                                                         \
    F(ptx_size, nvrtcGetPTXSize)                                                                                       \
    F(ptx, nvrtcGetPTX)                                                                                                \
    F(cubin_size, nvrtcGetCUBINSize)                                                                                   \
    F(cubin, nvrtcGetCUBIN)

static const char *const toolkit_variables[] = {"CUDA_HOME",  "CUDA_PATH",  "CUDA_ROOT",    "CUDATOOLKIT_HOME",
                                                "EBROOTCUDA", "NVHPC_ROOT", "CONDA_PREFIX", NULL};

static const struct library_search compiler_search = {
    .title = "NVRTC",
    .advice = "install the CUDA toolkit, or set CUDA_HOME to where it is",
    .names = (const char *const[]){"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", NULL},
    .variables = toolkit_variables,
    .folders = (const char *const[]){"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda", NULL},
    .wheels = (const char *const[]){"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", NULL},
};

// A driver runs code of its major version of the toolkit and of older ones.
static bool suits_driver(void *handle, int driver_major) {
    __typeof__(&nvrtcVersion) get_version;
    void *symbol = dlsym(handle, "nvrtcVersion");
    int major = 0, minor = 0;
    memcpy(&get_version, &symbol, sizeof symbol);
    return !driver_major || (symbol && get_version(&major, &minor) == NVRTC_SUCCESS && major <= driver_major);
}

COMPILER_LIBRARY(compiler_search, suits_driver)
COMPILER_DEFINITIONS(nvrtcProgram, nvrtcResult)

static bool is_virtual(const char *arch) {
    return !strncmp(arch, "compute_", strlen("compute_"));
}

static int code_size(void *program, const char *arch, size_t *size) {
    return (int)(is_virtual(arch) ? calls.ptx_size : calls.cubin_size)(program, size);
}

static int get_code(void *program, const char *arch, char *code) {
    return (int)(is_virtual(arch) ? calls.ptx : calls.cubin)(program, code);
}

static int best_arch(int device_arch) {
    int count = 0, best = 0;
    if (calls.arch_count(&count) != NVRTC_SUCCESS || count <= 0) {
        return 0;
    }
    int *archs = memory_zeros((size_t)count, sizeof *archs);
    const bool known = calls.archs(archs) == NVRTC_SUCCESS;
    for (int i = 0; i < count && known; i++) {
        best = archs[i] <= device_arch && archs[i] > best ? archs[i] : best;
    }
    free(archs);
    return best;
}

// Beside the library in a toolkit, and in the folders of Python's wheels.
static bool header_folder(size_t i, char *path, size_t size) {
    static const char *const beside[] = {"../include", "../include/cccl", "../../cuda_runtime/include",
                                         "../../cuda_cccl/include"};
    Dl_info library_file;
    void *symbol;
    memcpy(&symbol, &calls.create, sizeof symbol);
    if (i >= sizeof beside / sizeof *beside || !dladdr(symbol, &library_file)) {
        return false;
    }
    const char *slash = strrchr(library_file.dli_fname, '/');
    const int length = slash ? (int)(slash - library_file.dli_fname) : 0;
    return snprintf(path, size, "%.*s/%s", length, library_file.dli_fname, beside[i]) < (int)size;
}

static const char *const options[] = {"--std=c++17", "--generate-line-info", NULL};

const struct gpu_compiler nvrtc_compiler = {
    .name = "NVRTC",
    .arch_option = "--gpu-architecture=",
    .options = options,
    .best_arch = best_arch,
    .header_folder = header_folder,
    COMPILER_ROWS,
};
