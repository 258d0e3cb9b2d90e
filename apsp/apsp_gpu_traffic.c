// What the kernels' sources ask of memory, word by word. A compiler may keep some of it in registers.
#include "apsp/apsp_gpu.h"

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
    const double tile = gpu->shape.tile, others = gpu->tiles - 1.0, bytes = gpu->bits / 8.0;
    const double of_tile = tile * tile * bytes;
    const struct apsp_traffic first = {2 * of_tile, of_tile * (4 * tile + 1)};
    const struct apsp_traffic other = {4 * of_tile, of_tile * (2 * tile + 2)};
    return step == APSP_PHASE1 ? first : times(step == APSP_PHASE2 ? 2 * others : others * others, other);
}

// pivot.cu: a step writes a row and a column of the tile to shared memory, and each of 256 threads reads four of each.
static struct apsp_traffic of_pivot(const struct apsp_gpu *gpu) {
    const double tile = gpu->shape.tile;
    return (struct apsp_traffic){2 * tile * tile * gpu->bits / 8, tile * (2 * tile + 256 * 8) * sizeof(int32_t)};
}

// register_tiled.cu: a part reads what it multiplies and its own words, and writes them, but for the pivot's; 16 words
// of shared memory serve 64 updates.
static struct apsp_traffic of_registers(const struct apsp_gpu *gpu) {
    const double tile = gpu->shape.tile, part = APSP_PART, bytes = gpu->bits / 8.0;
    const double parts = gpu->pitch / part, blocks = parts * parts * gpu->bits / 32, others = gpu->pitch - tile;
    const struct apsp_traffic block = {
        part * tile * bytes + tile * part * 4 + part * part * 4,
        2 * tile * part * 4 + part * part * tile,
    };
    struct apsp_traffic traffic = times(blocks, block);
    traffic.global_bytes += others * others * bytes;
    return traffic;
}

static struct apsp_traffic of_round(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot) {
    if (gpu->detail->kind == APSP_GLOBAL) {
        return of_global(gpu, step, pivot);
    }
    if (gpu->detail->kind == APSP_REGISTERS && step != APSP_PHASE2) {
        return step == APSP_PHASE1 ? of_pivot(gpu) : of_registers(gpu);
    }
    return of_shared(gpu, step);
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
