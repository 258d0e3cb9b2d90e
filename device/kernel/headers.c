#include "device/kernel/headers.h"

#include <stddef.h>

#include "util/embed.h"

EMBED_FILE(kernel_dialect_header, "device/kernel/kernel.h");
EMBED_FILE(kernel_word_header, "device/kernel/word.h");
EMBED_FILE(kernel_async_header, "device/kernel/async.h");

const struct kernel_header kernel_headers[] = {
    {"device/kernel/kernel.h", kernel_dialect_header},
    {"device/kernel/word.h", kernel_word_header},
    {"device/kernel/async.h", kernel_async_header},
    {NULL, NULL},
};

// ---- What clang gets in place of CUDA's and HIP's headers ----

EMBED_FILE(clang_runtime, "device/kernel/clang/runtime.h");
EMBED_FILE(clang_constants, "device/kernel/constants.h");
EMBED_FILE(clang_amdgcn, "device/kernel/clang/amdgcn.h");
EMBED_FILE(clang_nvptx, "device/kernel/clang/nvptx.h");
EMBED_FILE(clang_vector_types, "device/kernel/clang/vector_types.h");
EMBED_FILE(clang_warp, "device/kernel/clang/warp.h");
EMBED_FILE(clang_numbers, "device/kernel/clang/numbers.h");
EMBED_FILE(clang_functions, "device/kernel/clang/functions.h");
EMBED_FILE(clang_small_floats, "device/kernel/clang/small_floats.h");
EMBED_FILE(clang_half, "device/kernel/clang/cuda_fp16.h");
EMBED_FILE(clang_bfloat16, "device/kernel/clang/cuda_bf16.h");
EMBED_FILE(clang_groups, "device/kernel/clang/cooperative_groups.h");

// What hip/hip_runtime.h provides has headers of its own in CUDA, which are empty here.
static const char constants[] = "#define CUDART_INF_F __builtin_inff()\n#define CUDART_INF __builtin_inf()\n"
                                "#define CUDART_NAN_F __builtin_nanf(\"\")\n#define CUDART_NAN __builtin_nan(\"\")\n"
                                "#define CUDART_PI_F 3.141592654f\n#define CUDART_PI 3.1415926535897931\n";

// cuBLAS is the host's, but kernels take the types of its matrices from it.
static const char cublas[] = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n";

const struct kernel_header clang_headers[] = {
    {"device/kernel/constants.h", clang_constants},
    {"device/kernel/clang/amdgcn.h", clang_amdgcn},
    {"device/kernel/clang/nvptx.h", clang_nvptx},
    {"device/kernel/clang/vector_types.h", clang_vector_types},
    {"device/kernel/clang/warp.h", clang_warp},
    {"device/kernel/clang/numbers.h", clang_numbers},
    {"device/kernel/clang/functions.h", clang_functions},
    {"device/kernel/clang/small_floats.h", clang_small_floats},
    {"hip/hip_runtime.h", clang_runtime},
    {"cuda_runtime.h", ""},
    {"cuda_runtime_api.h", ""},
    {"cuda.h", ""},
    {"device_launch_parameters.h", ""},
    {"device_functions.h", ""},
    {"vector_types.h", ""},
    {"math_constants.h", constants},
    {"cublas_v2.h", cublas},
    {"cublasLt.h", cublas},
    {"cuda_fp16.h", clang_half},
    {"hip/hip_fp16.h", clang_half},
    {"cuda_bf16.h", clang_bfloat16},
    {"hip/hip_bf16.h", clang_bfloat16},
    {"cooperative_groups.h", clang_groups},
    {"cooperative_groups/reduce.h", clang_groups},
    {"cooperative_groups/scan.h", clang_groups},
    {"cooperative_groups/memcpy_async.h", clang_groups},
    {"hip/hip_cooperative_groups.h", clang_groups},
    {NULL, NULL},
};
