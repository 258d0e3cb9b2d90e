// All shortest paths on the CPU, as native kernels of the device layer. Their launches have these arguments:
//   input, output    vertices^2 distances as int32_t; input as graph_distances makes it
//   scratch          apsp_cpu_scratch_bytes of memory, aligned to 64 bytes
//   u32 vertices, u32 max_weight (graph_max_weight)
//   report           struct apsp_cpu_report *
#ifndef APSP_SOLVE_CPU_H
#define APSP_SOLVE_CPU_H

#include <stddef.h>
#include <stdint.h>

#include "bench/progress.h"
#include "device/device.h"

struct apsp_cpu_report {
    struct progress *progress; // advanced and shown after each round; NULL: none
    uint32_t width_bytes;      // out: of the distances that were computed with
};

struct apsp_cpu_variant {
    const char *name; // "cpu-tiled"
    native_kernel *solve;
    uint32_t width_bytes; // that it would compute with
};

// NULL if there is no such variant.
const struct apsp_cpu_variant *apsp_cpu_find(const char *name);

uint64_t apsp_cpu_scratch_bytes(const struct apsp_cpu_variant *variant, uint32_t vertices);

// How often progress is advanced.
size_t apsp_cpu_rounds(const struct apsp_cpu_variant *variant, uint32_t vertices);

// The rate of bare add-min instructions by all threads, in 10^9 updates a second: what no kernel can exceed.
// width_bytes is 4 or 2. Takes a tenth of a second.
double apsp_cpu_peak_gop_s(uint32_t width_bytes);

#endif
