#include "sim/compile/headers.h"

#include <stddef.h>

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

const struct kernel_header sim_translation_headers[] = {
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
