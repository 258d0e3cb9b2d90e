// What the kernels' sources ask of memory, word by word. A compiler may keep some of it in registers.
#include <math.h>

#include "apsp/solve/gpu.h"

static struct apsp_traffic times(double count, struct apsp_traffic traffic) {
    return (struct apsp_traffic){count * traffic.global_bytes, count * traffic.shared_bytes};
}

// global.cu: a step reads three words and writes one, but for the row and the column that it goes through; phase 3
// reads two for each pivot, and an element once.
static struct apsp_traffic of_global(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot) {
    const double left = (double)gpu->pitch - (double)pivot * gpu->shape.tile; // whole tiles where it is padded
    const double tile = left < gpu->shape.tile ? left : gpu->shape.tile, others = gpu->pitch - tile;
    const double words = step == APSP_PHASE1   ? 4 * tile * (tile - 1) * (tile - 1)
                         : step == APSP_PHASE2 ? 4 * tile * 2 * (tile - 1) * others
                                               : others * others * (2 * tile + 2);
    return (struct apsp_traffic){words * sizeof(int32_t), 0};
}

// shared.cu: a block fills shared memory with one tile or two, and reads and writes its own; then every update reads
// two words of shared memory, in phase 1 a third one and writes it.
static struct apsp_traffic of_shared(const struct apsp_gpu *gpu, enum apsp_step step) {
    const double tile = gpu->shape.tile, others = gpu->tiles - 1.0, of_tile = tile * tile * sizeof(int32_t);
    const struct apsp_traffic first = {2 * of_tile, of_tile * (4 * tile + 1)};
    const struct apsp_traffic other = {4 * of_tile, of_tile * (2 * tile + 2)};
    return step == APSP_PHASE1 ? first : times(step == APSP_PHASE2 ? 2 * others : others * others, other);
}

// register_tiled.cu: what parts read to multiply, each some halves of a tile high and wide. Every thread reads a quad
// of shared memory for each half, for each pivot.
static struct apsp_traffic of_factors(const struct apsp_gpu *gpu, double parts, double high, double wide) {
    const double pivots = gpu->shape.tile, half = pivots / 2, word = sizeof(int32_t), quad = 4 * word;
    return (struct apsp_traffic){
        parts * pivots * half * (high * gpu->bits / 8 + wide * word),
        parts * pivots * (high + wide) * (half * word + gpu->shape.block.x * quad),
    };
}

// What it updates it reads and writes: no tile of the pivot's, but a part of phase 3 may have one beside another.
// Phase 1 multiplies as a whole part does, by what it has in registers.
static struct apsp_traffic of_registers(const struct apsp_gpu *gpu, enum apsp_step step) {
    const double tile = gpu->shape.tile, others = gpu->tiles - 1.0, of_tile = tile * tile * gpu->bits / 8;
    const double wide = gpu->bits / 16.0; // halves of a part that a tile's columns are
    const struct apsp_traffic row = of_factors(gpu, others * wide, 2, 1), column = of_factors(gpu, others * 2, 1, wide);
    const struct apsp_traffic rest = of_factors(gpu, others * ceil(others * wide / 2), 2, 2);
    switch (step) {
    case APSP_PHASE1:
        return (struct apsp_traffic){2 * of_tile, of_factors(gpu, 1, 2, 2).shared_bytes};
    case APSP_PHASE2:
        return (struct apsp_traffic){row.global_bytes + column.global_bytes + 2 * others * 2 * of_tile,
                                     row.shared_bytes + column.shared_bytes};
    default:
        return (struct apsp_traffic){rest.global_bytes + others * others * 2 * of_tile, rest.shared_bytes};
    }
}

static struct apsp_traffic of_round(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot) {
    if (gpu->detail->kind == APSP_GLOBAL) {
        return of_global(gpu, step, pivot);
    }
    return gpu->detail->kind == APSP_REGISTERS ? of_registers(gpu, step) : of_shared(gpu, step);
}

struct apsp_traffic apsp_gpu_traffic(const struct apsp_gpu *gpu, enum apsp_step step) {
    struct apsp_traffic sum = {0, 0};
    for (uint32_t pivot = 0; pivot < gpu->rounds; pivot++) {
        const struct apsp_traffic traffic = of_round(gpu, step, pivot);
        sum.global_bytes += traffic.global_bytes;
        sum.shared_bytes += traffic.shared_bytes;
    }
    return sum;
}
