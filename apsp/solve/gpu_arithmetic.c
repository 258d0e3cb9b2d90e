#include "apsp/solve/gpu_arithmetic.h"

#include <math.h>

#include "apsp/solve/gpu_round.h"

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
