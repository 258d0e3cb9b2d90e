#include "apsp/solve/gpu_round.h"

#include <math.h>

#include "apsp/solve/gpu_launch.h"
#include "apsp/solve/gpu_wide.h"

// ---- Small tiles ----

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
static double small_updates(const struct apsp_gpu *gpu, uint32_t next, struct apsp_small_blocks blocks) {
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
        .thread_instructions = 2 * small_updates(gpu, next, blocks) / ((double)grid.x * (uint32_t)THREADS),
        .thread_registers = REGISTERS,
        LAUNCH_ARGUMENTS(argument_pointer(gpu->w), argument_u32(words_of_row(gpu)), argument_pointer(gpu->left[last]),
                         argument_pointer(gpu->right[last]), argument_u32(gpu->pitch),
                         argument_pointer(gpu->left[next % 2]), argument_pointer(gpu->right[next % 2]),
                         argument_u32(next), argument_u32(blocks.prepare)),
    };
    return apsp_gpu_enqueue(gpu, stream, APSP_ROUND, &round, error);
}

// ---- Steps ----

static bool is_wide(const struct apsp_gpu *gpu, enum apsp_step step) {
    return apsp_is_wide(&gpu->settings) && step >= APSP_PHASE1 && step <= APSP_PHASE3;
}

static enum status wide_phase2(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    TRY(apsp_wide_share_tile(gpu, stream, pivot, error));
    TRY(apsp_wide_rows(gpu, stream, pivot, error));
    TRY(apsp_wide_store_rows(gpu, stream, pivot, error));
    TRY(apsp_wide_take_columns(gpu, stream, pivot, error));
    return apsp_wide_columns(gpu, stream, pivot, false, error);
}

static enum status wide_step(struct apsp_gpu *gpu, struct stream *stream, enum apsp_step step, uint32_t pivot,
                             struct error *error) {
    return step == APSP_PHASE1   ? apsp_wide_close(gpu, stream, pivot, error)
           : step == APSP_PHASE2 ? wide_phase2(gpu, stream, pivot, error)
                                 : apsp_wide_rest(gpu, stream, pivot, 1, gpu->first_tile, gpu->tile_count, error);
}

static enum status small_round(struct apsp_gpu *gpu, struct stream *stream, uint32_t next, struct error *error) {
    return apsp_small_round(gpu, stream, next, apsp_small_blocks(gpu, next), error);
}

static struct dimensions small_grid(const struct apsp_gpu *gpu, uint32_t next) {
    const struct apsp_small_blocks blocks = apsp_small_blocks(gpu, next);
    return (struct dimensions){blocks.prepare + blocks.finish, 1, 1};
}

enum status apsp_round_step(struct apsp_gpu *gpu, struct stream *stream, enum apsp_step step, uint32_t pivot,
                            struct error *error) {
    return is_wide(gpu, step)     ? wide_step(gpu, stream, step, pivot, error)
           : step == APSP_PREPARE ? small_round(gpu, stream, 0, error)
           : step == APSP_ROUND   ? small_round(gpu, stream, pivot + 1, error)
                                  : apsp_gpu_launch(gpu, stream, step, pivot, error);
}

enum status apsp_round_next(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    if (!is_wide(gpu, APSP_PHASE3)) {
        return apsp_gpu_launch_next(gpu, stream, pivot, true, error);
    }
    TRY(apsp_wide_next_tile(gpu, stream, pivot, error));
    TRY(apsp_wide_next_rows(gpu, stream, pivot, error));
    return apsp_wide_next_columns(gpu, stream, pivot, error);
}

enum status apsp_round_rest(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, uint32_t half,
                            struct error *error) {
    if (!is_wide(gpu, APSP_PHASE3)) {
        return half == 0 ? apsp_gpu_launch_rest(gpu, stream, pivot, error) : STATUS_OK;
    }
    const uint32_t middle = gpu->tile_count / 2, first = half ? middle : 0;
    const uint32_t count = half ? gpu->tile_count - middle : middle;
    return apsp_wide_rest(gpu, stream, pivot, 2, gpu->first_tile + first, count, error);
}

struct dimensions apsp_round_grid(const struct apsp_gpu *gpu, enum apsp_step step) {
    return is_wide(gpu, step)     ? apsp_wide_grid(gpu, step)
           : step == APSP_PREPARE ? small_grid(gpu, 0)
           : step == APSP_ROUND   ? small_grid(gpu, 1)
                                  : apsp_gpu_grid(gpu, step);
}

// ---- Arithmetic of a round ----

// Updates of a launch for `own` rows of tiles. The last round has fewer pivots if the matrix is not padded.
static double updates(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot, double own) {
    const double left = (double)gpu->pitch - (double)pivot * gpu->settings.tile;
    const double pivots = fmin(left, gpu->settings.tile), others = gpu->pitch - pivots;
    const double own_others = fmin(own * gpu->settings.tile, others);
    return step == APSP_PHASE1   ? pivots * pivots * pivots
           : step == APSP_PHASE2 ? pivots * pivots * (others + own_others)
           : step == APSP_PHASE3 ? pivots * others * own_others
           : step == APSP_ROUND  ? pivots * gpu->pitch * own * gpu->settings.tile
                                 : NAN;
}

double apsp_gpu_updates(const struct apsp_gpu *gpu, enum apsp_step step) {
    double sum = 0;
    for (uint32_t pivot = 0; pivot < gpu->rounds; pivot++) {
        sum += updates(gpu, step, pivot, gpu->tiles);
    }
    return sum;
}

// The rate of this number of compute units at this clock.
static double rate_gop_s(const struct apsp_gpu *gpu, double units, double clock_mhz) {
    const struct gpu *part = gpu->device->info.gpu;
    return part ? units * part->min_plus_per_clock * clock_mhz / 1000 * 32 / gpu->settings.bits : NAN;
}

double apsp_gpu_peak_gop_s(const struct apsp_gpu *gpu, double clock_mhz) {
    const struct device_info *info = &gpu->device->info;
    const double known = info->gpu ? info->gpu->compute_units : 0; // a driver may count compute units in pairs
    return rate_gop_s(gpu, fmax(info->compute_units, known), fmax(info->clock_mhz, clock_mhz));
}

double apsp_gpu_least_ns(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot) {
    const struct device_info *info = &gpu->device->info;
    const struct dimensions grid = apsp_round_grid(gpu, step);
    const double units = fmin((double)grid.x * grid.y, info->compute_units);
    return updates(gpu, step, pivot, gpu->tile_count) / rate_gop_s(gpu, units, info->clock_mhz);
}
