#include "apsp/solve/gpu_round.h"

#include <math.h>

#include "apsp/solve/gpu_launch.h"
#include "apsp/solve/gpu_small.h"
#include "apsp/solve/gpu_wide.h"

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
