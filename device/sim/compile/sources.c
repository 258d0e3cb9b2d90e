#include "device/sim/compile/sources.h"

#include <stdlib.h>

#include "device/kernel/headers.h"
#include "device/sim/compile/cxx/select.h"
#include "device/sim/compile/text.h"
#include "device/sim/ptx/headers.h"
#include "util/embed.h"

EMBED_FILE(sim_hooks_header, "device/kernel/kernel_hooks.h");
EMBED_FILE(sim_c11_header, "device/kernel/kernel_c11.h");
EMBED_FILE(sim_cxx_header, "device/kernel/cxx/kernel_cxx.h");
EMBED_FILE(sim_vector_types_header, "device/kernel/cxx/vector_types.h");
EMBED_FILE(sim_atomics_header, "device/kernel/cxx/atomics.h");
EMBED_FILE(sim_intrinsics_header, "device/kernel/cxx/intrinsics.h");
EMBED_FILE(sim_small_floats_header, "device/kernel/cxx/small_floats.h");
EMBED_FILE(sim_fp16_header, "device/kernel/cxx/cuda_fp16.h");
EMBED_FILE(sim_bf16_header, "device/kernel/cxx/cuda_bf16.h");
EMBED_FILE(sim_groups_header, "device/kernel/cxx/cooperative_groups.h");

// What the dialect's headers include, in C and in C++.
static const struct kernel_header c_headers[] = {
    {"device/kernel/kernel_hooks.h", sim_hooks_header},
    {"device/kernel/kernel_c11.h", sim_c11_header},
    {NULL, NULL},
};
static const struct kernel_header cxx_headers[] = {
    {"device/kernel/cxx/kernel_cxx.h", sim_cxx_header},
    {"device/kernel/cxx/vector_types.h", sim_vector_types_header},
    {"device/kernel/cxx/atomics.h", sim_atomics_header},
    {"device/kernel/cxx/intrinsics.h", sim_intrinsics_header},
    {"device/kernel/cxx/small_floats.h", sim_small_floats_header},
    {NULL, NULL},
};
// What users' kernels include. Some of the toolkits' headers are empty, because the dialect provides their contents.
static const struct kernel_header toolkit_headers[] = {
    {"cuda_fp16.h", sim_fp16_header},
    {"cuda_bf16.h", sim_bf16_header},
    {"cooperative_groups.h", sim_groups_header},
    {"cooperative_groups/reduce.h", "#include <cooperative_groups.h>\n"},
    {"cooperative_groups/scan.h", "#include <cooperative_groups.h>\n"},
    {"cooperative_groups/memcpy_async.h", "#include <cooperative_groups.h>\n"},
    // Files that call these libraries take the half types from their headers.
    {"cublas_v2.h", "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"},
    {"cublasLt.h", "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"},
    {"hip/hip_fp16.h", "#include <cuda_fp16.h>\n"},
    {"hip/hip_bf16.h", "#include <cuda_bf16.h>\n"},
    {"hip/hip_cooperative_groups.h", "#include <cooperative_groups.h>\n"},
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

const char *sim_dialect_header(enum kernel_language language) {
    return language == KERNEL_CXX ? "device/kernel/cxx/kernel_cxx.h" : "device/kernel/kernel_c11.h";
}

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

// The kernel's text in the form for the compiler.
static enum status source_text(const struct kernel_request *request, const struct gpu *gpu, bool gcc, char **text,
                               struct error *error) {
    const struct kernel_source *source = request->source;
    const uint32_t dynamic_bytes = gpu->shared_bytes_per_block;
    if (request->language == KERNEL_C) {
        *text = sim_source_text(source->file_name, source->text, dynamic_bytes, gcc);
    } else {
        struct cxx_selection selection;
        const enum status status =
            cxx_select(source->file_name, source->text, request->entry, CXX_FOR_HOST, &selection, error);
        if (status != STATUS_OK) {
            return status;
        }
        *text = sim_cxx_source_text(source->file_name, selection.text, selection.entry, dynamic_bytes, gcc);
        free(selection.text);
        free(selection.entry);
    }
    return *text ? STATUS_OK : error_set(error, STATUS_FAILED, "no memory for a kernel: close other programs");
}

static enum status write_headers(const struct scratch *scratch, const struct kernel_header *list, struct error *error) {
    enum status status = STATUS_OK;
    for (; list && list->name && status == STATUS_OK; list++) {
        status = scratch_write_text(scratch, list->name, list->text, error);
    }
    return status;
}

// A translation of PTX is C already.
static enum status write_translation(const struct scratch *scratch, const struct kernel_request *request,
                                     struct error *error) {
    enum status status = scratch_write_text(scratch, "kernel.c", request->source->text, error);
    return status == STATUS_OK ? write_headers(scratch, ptx_headers, error) : status;
}

enum status sim_write_sources(const struct scratch *scratch, const struct kernel_request *request,
                              const struct gpu *gpu, bool gcc, struct error *error) {
    if (request->language == KERNEL_PTX) {
        return write_translation(scratch, request, error);
    }
    char *text = NULL;
    enum status status = source_text(request, gpu, gcc, &text, error);
    if (status == STATUS_OK) {
        status = scratch_write_text(scratch, "kernel.c", text, error);
    }
    free(text);
    const struct kernel_header *const lists[] = {kernel_headers, c_headers, request->headers, cxx_headers,
                                                 toolkit_headers};
    const size_t own = 3, all = sizeof lists / sizeof *lists;
    for (size_t i = 0; i < (sim_is_own_kernel(request) ? own : all) && status == STATUS_OK; i++) {
        status = write_headers(scratch, lists[i], error);
    }
    return status;
}
