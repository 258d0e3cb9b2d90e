#include "sim/compile/sources.h"

#include <stddef.h>
#include <stdlib.h>

#include "device/kernel/headers.h"
#include "device/launch.h"
#include "sim/compile/text.h"
#include "util/embed.h"

EMBED_FILE(ptx_header_async, "sim/ptx/kernel/async.h");
EMBED_FILE(ptx_header_fragment, "sim/ptx/kernel/fragment.h");
EMBED_FILE(ptx_header_group, "sim/ptx/kernel/group.h");
EMBED_FILE(ptx_header_hooks, "sim/ptx/kernel/hooks.h");
EMBED_FILE(ptx_header_integers, "sim/ptx/kernel/integers.h");
EMBED_FILE(ptx_header_matrix, "sim/ptx/kernel/matrix.h");
EMBED_FILE(ptx_header_memory, "sim/ptx/kernel/memory.h");
EMBED_FILE(ptx_header_numbers, "sim/ptx/kernel/numbers.h");
EMBED_FILE(ptx_header_reduce, "sim/ptx/kernel/reduce.h");
EMBED_FILE(ptx_header_tensor, "sim/ptx/kernel/tensor.h");
EMBED_FILE(ptx_header_tensor_map, "sim/ptx/kernel/tensor_map.h");
EMBED_FILE(ptx_header_warp, "sim/ptx/kernel/warp.h");
EMBED_FILE(gcn_header_wave, "sim/amdgcn/kernel/wave.h");
EMBED_FILE(gcn_header_hooks, "sim/amdgcn/kernel/wave_hooks.h");

// What translations of PTX and of AMD's instructions include.
static const struct kernel_header translation_headers[] = {
    {"sim/ptx/kernel/async.h", ptx_header_async},
    {"sim/ptx/kernel/fragment.h", ptx_header_fragment},
    {"sim/ptx/kernel/group.h", ptx_header_group},
    {"sim/ptx/kernel/hooks.h", ptx_header_hooks},
    {"sim/ptx/kernel/integers.h", ptx_header_integers},
    {"sim/ptx/kernel/matrix.h", ptx_header_matrix},
    {"sim/ptx/kernel/memory.h", ptx_header_memory},
    {"sim/ptx/kernel/numbers.h", ptx_header_numbers},
    {"sim/ptx/kernel/reduce.h", ptx_header_reduce},
    {"sim/ptx/kernel/tensor.h", ptx_header_tensor},
    {"sim/ptx/kernel/tensor_map.h", ptx_header_tensor_map},
    {"sim/ptx/kernel/warp.h", ptx_header_warp},
    {"sim/amdgcn/kernel/wave.h", gcn_header_wave},
    {"sim/amdgcn/kernel/wave_hooks.h", gcn_header_hooks},
    {NULL, NULL},
};

EMBED_FILE(sim_hooks_header, "device/kernel/kernel_hooks.h");
EMBED_FILE(sim_c11_header, "device/kernel/kernel_c11.h");

// What the dialect's headers include.
static const struct kernel_header c_headers[] = {
    {"device/kernel/kernel_hooks.h", sim_hooks_header},
    {"device/kernel/kernel_c11.h", sim_c11_header},
    {NULL, NULL},
};
// What users' kernels include. Some of the toolkits' headers are empty, because the dialect provides their contents.
static const struct kernel_header toolkit_headers[] = {
    {"math_constants.h", "#define CUDART_INF_F ((float)INFINITY)\n#define CUDART_INF ((double)INFINITY)\n"
                         "#define CUDART_NAN_F ((float)NAN)\n#define CUDART_NAN ((double)NAN)\n"
                         "#define CUDART_PI_F 3.141592654f\n#define CUDART_PI M_PI\n"},
    {"cuda.h", ""},
    {"cuda_runtime.h", ""},
    {"device_launch_parameters.h", ""},
    {"hip/hip_runtime.h", ""},
    {"assert.h", "#undef assert\n"
                 "#ifdef NDEBUG\n"
                 "#define assert(condition) ((void)0)\n"
                 "#else\n"
                 "#define assert(condition) ((condition) ? (void)0 : sim_trap(\"assertion failed: \" #condition))\n"
                 "#endif\n"},
    {NULL, NULL},
};

bool sim_is_own_kernel(const struct kernel_request *request) {
    return request->language == KERNEL_C && !request->from_file;
}

static void print_headers(const struct kernel_header *list, FILE *out) {
    for (; list && list->name; list++) {
        fprintf(out, "%s\n%s\n", list->name, list->text);
    }
}

void sim_print_own_headers(const struct kernel_request *request, FILE *out) {
    print_headers(kernel_headers, out);
    print_headers(c_headers, out);
    print_headers(request->headers, out);
}

static enum status write_headers(const struct scratch *scratch, const struct kernel_header *list, struct error *error) {
    for (; list && list->name; list++) {
        TRY(scratch_write_text(scratch, list->name, list->text, error));
    }
    return STATUS_OK;
}

// A translation is C already.
static enum status write_translation(const struct scratch *scratch, const struct kernel_request *request,
                                     struct error *error) {
    TRY(scratch_write_text(scratch, "kernel.c", request->source->text, error));
    return write_headers(scratch, translation_headers, error);
}

enum status sim_write_sources(const struct scratch *scratch, const struct kernel_request *request,
                              const struct gpu *gpu, bool gcc, struct error *error) {
    if (kernel_is_translated(request->language)) {
        return write_translation(scratch, request, error);
    }
    const struct kernel_source *source = request->source;
    char *text = sim_source_text(source->file_name, source->text, gpu->shared_bytes_per_block, gcc);
    enum status status = text ? scratch_write_text(scratch, "kernel.c", text, error)
                              : error_set(error, STATUS_FAILED, "no memory for a kernel: close other programs");
    free(text);
    const struct kernel_header *const lists[] = {kernel_headers, c_headers, request->headers, toolkit_headers};
    const size_t own = 3, all = sizeof lists / sizeof *lists;
    for (size_t i = 0; i < (sim_is_own_kernel(request) ? own : all) && status == STATUS_OK; i++) {
        status = write_headers(scratch, lists[i], error);
    }
    return status;
}
