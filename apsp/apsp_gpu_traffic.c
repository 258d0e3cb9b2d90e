// The counts are upper bounds, because a compiler may keep in registers some of what a source reads again.
#include "apsp/apsp_gpu_traffic.h"

#include <math.h>

static struct apsp_traffic times(double count, struct apsp_traffic traffic) {
    return (struct apsp_traffic){count * traffic.global_bytes, count * traffic.shared_bytes};
}

static struct apsp_traffic sum_of(struct apsp_traffic a, struct apsp_traffic b) {
    return (struct apsp_traffic){a.global_bytes + b.global_bytes, a.shared_bytes + b.shared_bytes};
}

// global.cu: phases 1 and 2 read three words and write one for each update, except in the row and the column of the
// pivot. Phase 3 reads two words for each update, and reads and writes each element once.
static struct apsp_traffic of_global(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot) {
    const double left = (double)gpu->pitch - (double)pivot * gpu->settings.tile; // a whole tile if the matrix is padded
    const double tile = left < gpu->settings.tile ? left : gpu->settings.tile, others = gpu->pitch - tile;
    const double words = step == APSP_PHASE1   ? 4 * tile * (tile - 1) * (tile - 1)
                         : step == APSP_PHASE2 ? 4 * tile * 2 * (tile - 1) * others
                                               : others * others * (2 * tile + 2);
    return (struct apsp_traffic){words * sizeof(int32_t), 0};
}

// shared.cu: a block copies one or two tiles into shared memory, and reads and writes its own tile. Then every update
// reads two words of shared memory; in phase 1 it also reads and writes a third one.
static struct apsp_traffic of_shared(const struct apsp_gpu *gpu, enum apsp_step step) {
    const double tile = gpu->settings.tile, others = gpu->tiles - 1.0, of_tile = tile * tile * sizeof(int32_t);
    const struct apsp_traffic first = {2 * of_tile, of_tile * (4 * tile + 1)};
    const struct apsp_traffic other = {4 * of_tile, of_tile * (2 * tile + 2)};
    return step == APSP_PHASE1 ? first : times(step == APSP_PHASE2 ? 2 * others : others * others, other);
}

// register_tiled.cu: what parts read as factors. `high` and `wide` are a part's sides in halves of a tile. For each
// pivot every thread reads four words of shared memory for each half.
static struct apsp_traffic of_factors(const struct apsp_gpu *gpu, double parts, double high, double wide) {
    const double pivots = gpu->settings.tile, half = pivots / 2, word = sizeof(int32_t), quad = 4 * word;
    return (struct apsp_traffic){
        parts * pivots * half * (high * gpu->settings.bits / 8 + wide * word),
        parts * pivots * (high + wide) * (half * word + gpu->settings.block.x * quad),
    };
}

// Each phase also reads and writes the tiles that it updates. Phase 3 counts whole parts, although a part may include a
// tile of the pivot's column that it leaves alone. Phase 1 reads as much shared memory as a whole part does.
static struct apsp_traffic of_registers(const struct apsp_gpu *gpu, enum apsp_step step) {
    const double tile = gpu->settings.tile, others = gpu->tiles - 1.0, of_tile = tile * tile * gpu->settings.bits / 8;
    const double wide = gpu->settings.bits / 16.0; // the width of a tile in halves of a part
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

// tile_product.cu, in parts of 128 rows and words. For each part and pivot a block reads a row of each factor, and
// every thread four words of shared memory for each half. The part itself is read and written.
static struct apsp_traffic of_products(const struct apsp_gpu *gpu, double parts) {
    const double pivots = gpu->settings.tile, side = APSP_REGISTER_TILE, word = sizeof(uint32_t), quad = 4 * word;
    return (struct apsp_traffic){
        parts * (pivots * 2 * side + 2 * side * side) * word,
        parts * pivots * (2 * side * word + 4 * gpu->settings.block.x * quad),
    };
}

// Phase 1 is a solution of smaller tiles. Phase 2 also copies the rows, transposes the columns twice, and transposes
// the closed tile.
static struct apsp_traffic of_wide(const struct apsp_gpu *gpu, enum apsp_step step) {
    const double inner = (double)gpu->settings.tile / (double)APSP_REGISTER_TILE, others = gpu->tiles - 1.0;
    const double parts = inner * inner * gpu->settings.bits / 32; // of a tile
    const double tile = (double)gpu->settings.tile * gpu->settings.tile, width = gpu->settings.bits / 8.0;
    const double word = sizeof(uint32_t), transposed = 2 * others + 1;
    if (step == APSP_PHASE3) {
        return of_products(gpu, parts * others * others);
    }
    if (step == APSP_PHASE2) {
        const struct apsp_traffic copies = {tile * (2 * others * width + transposed * (width + word)),
                                            tile * transposed * 2 * width};
        return sum_of(of_products(gpu, parts * 2 * others), copies);
    }
    struct apsp_gpu closer = *gpu;
    closer.settings.tile = APSP_REGISTER_TILE;
    closer.tiles = (uint32_t)inner;
    const struct apsp_traffic row = sum_of(of_registers(&closer, APSP_PHASE2), of_registers(&closer, APSP_PHASE3));
    return times(inner, sum_of(of_registers(&closer, APSP_PHASE1), row));
}

// whole_round.cu: a block that finishes a round reads both factors, and reads and writes its part. It leaves the next
// pivots' rows and columns alone. A block that prepares reads the tile, three factors and its part, and writes the
// part. Rows are packed, the left panel is not. For each pivot every thread reads two quads of shared memory, or a quad
// and its words of the part.
static struct apsp_traffic of_small(const struct apsp_gpu *gpu, uint32_t pivot) {
    const double tile = gpu->settings.tile, word = sizeof(uint32_t), width = gpu->settings.bits / 8.0;
    const double columns = apsp_small_shape(gpu->vertices).columns, own = 16 * columns;
    const double parts = gpu->tiles * tile / own; // in each of rows and columns
    const double next = pivot + 1 < gpu->rounds ? 1 : 0, skipped = pivot + 1 < gpu->tiles ? 1 : 0;
    const double others = gpu->tiles - skipped, blocks = others * ceil(others * width / word);
    const double square = tile * tile, of_threads = tile * gpu->settings.block.x, quad = 4 * word;
    const double own_words = columns * word, prepare = 2 * parts * next;
    const double global = blocks * 2 * square * word + others * others * square * 2 * width +
                          parts * next * (square * 2 * (word + 2 * width) + tile * own * (4 * width + 2 * word));
    const double shared = blocks * (2 * square * word + of_threads * 2 * quad) +
                          prepare * ((3 * square + 2 * tile * own) * word + of_threads * (2 * quad + quad + own_words));
    return (struct apsp_traffic){global, shared + prepare * of_threads * (3 * quad + own_words)};
}

static struct apsp_traffic of_round(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot) {
    if (gpu->settings.kernels == APSP_GLOBAL) {
        return of_global(gpu, step, pivot);
    }
    if (gpu->settings.kernels == APSP_SHARED) {
        return of_shared(gpu, step);
    }
    return apsp_is_small(&gpu->settings)  ? of_small(gpu, pivot)
           : apsp_is_wide(&gpu->settings) ? of_wide(gpu, step)
                                          : of_registers(gpu, step);
}

struct apsp_traffic apsp_gpu_traffic(const struct apsp_gpu *gpu, enum apsp_step step) {
    struct apsp_traffic sum = {0, 0};
    for (uint32_t pivot = 0; pivot < gpu->rounds; pivot++) {
        sum = sum_of(sum, of_round(gpu, step, pivot));
    }
    return sum;
}
