// The min-plus updates of a solution, and how long a part's arithmetic takes for them at least.
#include <math.h>

#include "apsp/solve/gpu.h"

// Of a launch for so many rows of tiles. The last round has fewer pivots where nothing is padded.
static double updates(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot, double own) {
    const double left = (double)gpu->pitch - (double)pivot * gpu->shape.tile;
    const double pivots = fmin(left, gpu->shape.tile), others = gpu->pitch - pivots;
    const double own_others = fmin(own * gpu->shape.tile, others);
    return step == APSP_PHASE1   ? pivots * pivots * pivots
           : step == APSP_PHASE2 ? pivots * pivots * (others + own_others)
           : step == APSP_PHASE3 ? pivots * others * own_others
                                 : NAN;
}

double apsp_gpu_updates(const struct apsp_gpu *gpu, enum apsp_step step) {
    double sum = 0;
    for (uint32_t pivot = 0; pivot < gpu->rounds; pivot++) {
        sum += updates(gpu, step, pivot, gpu->tiles);
    }
    return sum;
}

// Of so many compute units, at this clock.
static double rate_gop_s(const struct apsp_gpu *gpu, double units, double clock_mhz) {
    const struct gpu *part = gpu->device->info.gpu;
    return part ? units * part->min_plus_per_clock * clock_mhz / 1000 * 32 / gpu->bits : NAN;
}

double apsp_gpu_peak_gop_s(const struct apsp_gpu *gpu, double clock_mhz) {
    const struct device_info *info = &gpu->device->info;
    const double known = info->gpu ? info->gpu->compute_units : 0; // a driver may count them in pairs
    return rate_gop_s(gpu, fmax(info->compute_units, known), fmax(info->clock_mhz, clock_mhz));
}

double apsp_gpu_least_ns(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot) {
    const struct device_info *info = &gpu->device->info;
    const struct dimensions grid = apsp_gpu_grid(gpu, step);
    const double units = fmin((double)grid.x * grid.y, info->compute_units);
    return updates(gpu, step, pivot, gpu->tile_count) / rate_gop_s(gpu, units, info->clock_mhz);
}
