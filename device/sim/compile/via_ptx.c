#include "device/sim/compile/via_ptx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/sim/compile/cxx/select.h"
#include "device/sim/compile/process.h"
#include "device/sim/compile/text.h"

#ifdef HAVE_CUDA
#include "device/gpu/compile.h"
#endif

enum {
    OLDEST = 75, // the oldest that CUDA 13 compiles for
    WORD = PATH_MAX + 64,
    CONSTANTS_MAX = 64
};

// An older part gets the PTX of the oldest one that compilers know. From sm_90 on there are instructions, such as
// wgmma, that are only for one part, which the a stands for.
static void write_architecture(char *text, size_t size, const struct gpu *gpu) {
    unsigned version = 0;
    sscanf(gpu->arch, "sm_%u", &version);
    snprintf(text, size, "compute_%u%s", version < OLDEST ? OLDEST : version, version >= 90 ? "a" : "");
}

static bool is_program(const char *folder, size_t length, char path[PATH_MAX]) {
    const int written = snprintf(path, PATH_MAX, "%.*s/nvcc", (int)length, folder);
    return written < PATH_MAX && access(path, X_OK) == 0;
}

// nvcc in PATH, or where CUDA is installed.
static bool find_nvcc(char path[PATH_MAX]) {
    static const char usual[] = "/usr/local/cuda/bin";
    const char *home = getenv("CUDA_HOME");
    char bin[PATH_MAX];
    for (const char *at = getenv("PATH"); at && *at;) {
        const size_t length = strcspn(at, ":");
        if (is_program(at, length, path)) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    snprintf(bin, sizeof bin, "%.*s/bin", PATH_MAX / 2, home ? home : "");
    return (home && is_program(bin, strlen(bin), path)) || is_program(usual, strlen(usual), path);
}

// A template has no code until something names its instance, here a variable of the host.
static enum status write_instance(const struct scratch *scratch, const struct kernel_request *request,
                                  struct error *error) {
    char path[PATH_MAX], text[2 * PATH_MAX];
    if (!realpath(request->source->file_name, path)) {
        return error_set(error, STATUS_FAILED, "%s: cannot be found again: give its whole path",
                         request->source->file_name);
    }
    snprintf(text, sizeof text, "#include \"%s\"\nvoid *sim_instance = (void *)&%.2000s;\n", path, request->entry);
    return scratch_write_text(scratch, "kernel.cu", text, error);
}

static enum status run_nvcc(const struct scratch *scratch, const char *nvcc, const struct kernel_request *request,
                            const struct gpu *gpu, struct error *error) {
    char arch[32], out[WORD], instance[WORD], defines[CONSTANTS_MAX][128];
    const bool is_template = request->entry && strchr(request->entry, '<');
    const char *words[CONSTANTS_MAX + 16] = {nvcc, "-ptx", "-lineinfo", "-std=c++17", "-Wno-deprecated-gpu-targets",
                                             "-w", arch,   "-o",        out};
    size_t count = 9;
    memcpy(arch, "-arch=", sizeof "-arch=");
    write_architecture(arch + strlen(arch), sizeof arch - strlen(arch), gpu);
    snprintf(out, sizeof out, "%s/kernel.ptx", scratch->path);
    for (size_t i = 0; i < request->constant_count && i < CONSTANTS_MAX; i++) {
        snprintf(defines[i], sizeof defines[i], "-D%s=%" PRId64, request->constants[i].name,
                 request->constants[i].value);
        words[count++] = defines[i];
    }
    snprintf(instance, sizeof instance, "%s/kernel.cu", scratch->path);
    words[count++] = is_template ? instance : request->source->file_name;
    const enum status status = is_template ? write_instance(scratch, request, error) : STATUS_OK;
    if (status != STATUS_OK) {
        return status;
    }
    // The words are not changed; execvp's type is older than const.
    return scratch_run(scratch, (char *const *)(uintptr_t)words, NULL, error);
}

static enum status by_nvcc(const char *nvcc, const struct kernel_request *request, const struct gpu *gpu, char **ptx,
                           struct error *error) {
    struct scratch scratch;
    size_t count;
    enum status status = scratch_enter(&scratch, error);
    if (status != STATUS_OK) {
        return status;
    }
    status = run_nvcc(&scratch, nvcc, request, gpu, error);
    *ptx = status == STATUS_OK ? scratch_read(&scratch, "kernel.ptx", &count) : NULL;
    if (status == STATUS_OK && !*ptx) {
        status = error_set(error, STATUS_FAILED, "%s: nvcc left no PTX: run it by hand to see why",
                           request->source->file_name);
    }
    scratch_leave(&scratch);
    return status;
}

#ifdef HAVE_CUDA
// What kernels take from C++'s headers, which NVRTC does not have, as CUDA's own headers define it for NVRTC.
static const char prelude[] =
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t; "
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t; "
    "typedef unsigned long long uint64_t; typedef uint64_t uintptr_t;\n"
    "#define INT_MAX   0x7fffffff\n#define INT_MIN   (-INT_MAX - 1)\n#define UINT_MAX  0xffffffff\n"
    "#define FLT_MAX 3.402823466e38f\n#define FLT_MIN 1.175494351e-38f\n#define INFINITY __int_as_float(0x7f800000)\n"
    "#define NAN __int_as_float(0x7fffffff)\n#define M_PI 3.14159265358979323846\n";

// The part of the file that the kernel needs. A template has no code until something names its instance. The caller
// frees the text; NULL if memory runs out.
static char *text_for_nvrtc(const struct kernel_request *request, const struct cxx_selection *selection) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    fprintf(out, "%s#line 1 \"%s\"\n%s\n", prelude, request->source->file_name, selection->text);
    if (request->entry && strchr(request->entry, '<')) {
        fprintf(out, "template <auto> struct sim_instance {};\n__device__ sim_instance<&%s> sim_instantiated;\n",
                selection->entry);
    }
    return sim_text_finish(out, &text);
}

static enum status compile_selected(const struct kernel_request *request, const char *arch, uint32_t warp_width,
                                    struct gpu_code *code, struct error *error) {
    struct cxx_selection selection;
    const struct kernel_source *source = request->source;
    enum status status = cxx_select(source->file_name, source->text, request->entry, CXX_FOR_NVRTC, &selection, error);
    if (status != STATUS_OK) {
        return status;
    }
    char *text = text_for_nvrtc(request, &selection);
    const struct kernel_source selected = {source->file_name, text};
    struct kernel_request compiling = *request;
    compiling.source = &selected;
    compiling.entry = request->entry ? request->entry : "the kernel"; // for messages
    status = text ? gpu_compile(&nvrtc_compiler, &compiling, arch, warp_width, code, error)
                  : error_set(error, STATUS_FAILED, "no memory for a kernel: close other programs");
    free(text);
    free(selection.text);
    free(selection.entry);
    return status;
}
#endif

static enum status by_nvrtc(const struct kernel_request *request, const struct gpu *gpu, char **ptx,
                            struct error *error) {
#ifdef HAVE_CUDA
    char arch[32];
    struct gpu_code code;
    write_architecture(arch, sizeof arch, gpu);
    const enum status status = request->language == KERNEL_CXX
                                   ? compile_selected(request, arch, gpu->warp_width, &code, error)
                                   : gpu_compile(&nvrtc_compiler, request, arch, gpu->warp_width, &code, error);
    *ptx = code.bytes;
    return status;
#else
    (void)gpu;
    *ptx = NULL;
    return error_set(
        error, STATUS_NO_DEVICE,
        "%s: no compiler makes PTX of it: install CUDA's, build bankshot again, or compile it elsewhere and "
        "give --ptx",
        request->source->file_name);
#endif
}

enum status sim_compile_to_ptx(const struct kernel_request *request, const struct gpu *gpu, char **ptx,
                               struct error *error) {
    char nvcc[PATH_MAX];
    *ptx = NULL;
    if (gpu->vendor != VENDOR_NVIDIA) {
        return error_set(error, STATUS_USAGE, "--via ptx: PTX is NVIDIA's: choose one of its GPUs, not %s", gpu->name);
    }
    return request->language == KERNEL_CXX && find_nvcc(nvcc) ? by_nvcc(nvcc, request, gpu, ptx, error)
                                                              : by_nvrtc(request, gpu, ptx, error);
}
