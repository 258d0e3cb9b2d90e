#include "device/sim/ptx/headers.h"

#include <stddef.h>

#include "util/embed.h"

EMBED_FILE(ptx_header_async, "device/sim/ptx/kernel/async.h");
EMBED_FILE(ptx_header_fragment, "device/sim/ptx/kernel/fragment.h");
EMBED_FILE(ptx_header_group, "device/sim/ptx/kernel/group.h");
EMBED_FILE(ptx_header_hooks, "device/sim/ptx/kernel/hooks.h");
EMBED_FILE(ptx_header_integers, "device/sim/ptx/kernel/integers.h");
EMBED_FILE(ptx_header_matrix, "device/sim/ptx/kernel/matrix.h");
EMBED_FILE(ptx_header_memory, "device/sim/ptx/kernel/memory.h");
EMBED_FILE(ptx_header_numbers, "device/sim/ptx/kernel/numbers.h");
EMBED_FILE(ptx_header_reduce, "device/sim/ptx/kernel/reduce.h");
EMBED_FILE(ptx_header_tensor, "device/sim/ptx/kernel/tensor.h");
EMBED_FILE(ptx_header_tensor_map, "device/sim/ptx/kernel/tensor_map.h");
EMBED_FILE(ptx_header_warp, "device/sim/ptx/kernel/warp.h");

const struct kernel_header ptx_headers[] = {
    {"device/sim/ptx/kernel/async.h", ptx_header_async},
    {"device/sim/ptx/kernel/fragment.h", ptx_header_fragment},
    {"device/sim/ptx/kernel/group.h", ptx_header_group},
    {"device/sim/ptx/kernel/hooks.h", ptx_header_hooks},
    {"device/sim/ptx/kernel/integers.h", ptx_header_integers},
    {"device/sim/ptx/kernel/matrix.h", ptx_header_matrix},
    {"device/sim/ptx/kernel/memory.h", ptx_header_memory},
    {"device/sim/ptx/kernel/numbers.h", ptx_header_numbers},
    {"device/sim/ptx/kernel/reduce.h", ptx_header_reduce},
    {"device/sim/ptx/kernel/tensor.h", ptx_header_tensor},
    {"device/sim/ptx/kernel/tensor_map.h", ptx_header_tensor_map},
    {"device/sim/ptx/kernel/warp.h", ptx_header_warp},
    {NULL, NULL},
};
