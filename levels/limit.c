// limit: the upper bound of a bandwidth to which several levels may contribute.
#include <math.h>

#include "bench/row.h"
#include "levels/levels_detail.h"

enum {
    UNIT_BYTES_A_CLOCK = 128 // most that a GPU's unit loads or stores: one line of its L1
};
static const double ROUNDING = 0.01; // of clocks and of times

double levels_most_gb_s(const struct levels_limit *limit, const struct answer *answer, bool shared) {
    double most = limit->units_gb_s;
    if (answer->memory_share > 0) {
        // Units that load the same line at once may together get more than the shared cache's rate while the footprint
        // fits it.
        most = shared && limit->shared_gb_s > 0 ? fmin(most, limit->shared_gb_s) : most;
        most = limit->memory_gb_s > 0 ? fmin(most, limit->memory_gb_s / answer->memory_share) : most;
    }
    return most;
}

static struct levels_limit limit_of(const struct device_info *info) {
    struct levels_limit limit = {INFINITY, 0, info->peak_gb_s};
    if (!device_is_cpu(info) && info->clock_mhz > 0) {
        limit.units_gb_s = (double)UNIT_BYTES_A_CLOCK * info->compute_units * info->clock_mhz / 1e3;
        limit.shared_gb_s = info->gpu ? info->gpu->l2_bytes_per_clock * info->clock_mhz / 1e3 : 0;
    }
    return limit;
}

unsigned levels_mixed_verdicts(const struct row *row, const struct device_info *info, const struct answer *answer,
                               bool shared) {
    const struct levels_limit limit = limit_of(info);
    const bool above = row->bandwidth_gb_s > levels_most_gb_s(&limit, answer, shared) * (1 + ROUNDING);
    return (above ? VERDICT_ABOVE_PEAK : 0u) | (answer->mixed ? VERDICT_CACHE_RESIDENT : 0u);
}
