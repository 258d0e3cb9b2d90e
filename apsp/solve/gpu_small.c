#include "apsp/solve/gpu_small.h"

#include "apsp/solve/gpu_launch.h"

enum {
    PART = APSP_SMALL_TILE_MAX, // rows and words of a block that finishes a round
    THREADS = APSP_REGISTER_THREADS,
    REGISTERS = 80,
    // Bytes of shared memory for each pivot of a round: of whole_round.cu's factors and of the rows and columns of two
    // pairs of pivots, and of each of a thread's COLUMNS; and what the driver takes for each block.
    FACTORS_BYTES = 560,
    COLUMN_BYTES = 64,
    RESERVED = 1024
};

static uint32_t words_of_row(const struct apsp_gpu *gpu) {
    return gpu->pitch * gpu->settings.bits / 32;
}

// Rows or columns of a block that prepares a round.
static uint32_t own(const struct apsp_gpu *gpu) {
    return 16 * apsp_gpu_small_shape(gpu).columns;
}

// A block that prepares has a part of the pivots' rows or of their columns.
struct apsp_small_blocks apsp_small_blocks(const struct apsp_gpu *gpu, uint32_t next) {
    return (struct apsp_small_blocks){
        .prepare = next < gpu->rounds ? 2 * gpu->pitch / own(gpu) : 0,
        .finish = next > 0 ? gpu->pitch / PART * (words_of_row(gpu) / PART) : 0,
    };
}

// Updates of all threads. A block that prepares closes the pivots' tile and multiplies its part by it. Before that it
// updates both by the last pivots, if there are any.
static double updates(const struct apsp_gpu *gpu, uint32_t next, struct apsp_small_blocks blocks) {
    const double pivots = gpu->settings.tile, tile = pivots * pivots, part = pivots * own(gpu);
    const double finished = (double)PART * (uint32_t)PART;
    const double times = next > 0 ? 2 : 1;
    return pivots * (blocks.prepare * times * (tile + part) + blocks.finish * finished);
}

uint32_t apsp_small_shared_bytes(uint32_t tile, uint32_t columns) {
    return tile * (FACTORS_BYTES + columns * COLUMN_BYTES);
}

// Blocks are kept from a unit by shared memory that they do not need.
static uint32_t shared_bytes(const struct apsp_gpu *gpu) {
    const struct apsp_small_shape shape = apsp_gpu_small_shape(gpu);
    const uint32_t needed = apsp_small_shared_bytes(gpu->settings.tile, shape.columns);
    const uint32_t share = gpu->device->info.shared_bytes_per_block_max / shape.unit_blocks - RESERVED;
    return shape.unit_blocks < 3 && share > needed ? share : needed;
}

enum status apsp_small_round(struct apsp_gpu *gpu, struct stream *stream, uint32_t next,
                             struct apsp_small_blocks blocks, struct error *error) {
    const struct dimensions grid = {blocks.prepare + blocks.finish, 1, 1};
    const uint32_t last = (next + 1) % 2; // its panels
    const struct launch round = {
        .grid = grid,
        .block = {THREADS, 1, 1},
        .dynamic_shared_bytes = shared_bytes(gpu),
        // Larger tiles gain less by it than they lose: blocks that begin early take the place of others.
        .overlaps = next > 0 && gpu->settings.tile < APSP_SMALL_TILE_MAX,
        .thread_instructions = 2 * updates(gpu, next, blocks) / ((double)grid.x * (uint32_t)THREADS),
        .thread_registers = REGISTERS,
        LAUNCH_ARGUMENTS(argument_pointer(gpu->w), argument_u32(words_of_row(gpu)), argument_pointer(gpu->left[last]),
                         argument_pointer(gpu->right[last]), argument_u32(gpu->pitch),
                         argument_pointer(gpu->left[next % 2]), argument_pointer(gpu->right[next % 2]),
                         argument_u32(next), argument_u32(blocks.prepare)),
    };
    return apsp_gpu_enqueue(gpu, stream, APSP_ROUND, &round, error);
}
