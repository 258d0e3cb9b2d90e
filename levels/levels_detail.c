#include "levels/levels_detail.h"

#include <math.h>
#include <string.h>

#include "bench/row.h"

// limit: the upper bound of a bandwidth to which several levels may contribute.

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

bool levels_is_merged(const struct levels_limit *limit, double gb_s, bool shared) {
    return shared && limit->shared_gb_s > 0 && gb_s > limit->shared_gb_s * (1 + ROUNDING);
}

unsigned levels_shared_verdicts(struct row *row, const struct device_info *info, bool shared) {
    const struct levels_limit limit = limit_of(info);
    if (!strstr(row->level, "L2") || !levels_is_merged(&limit, row->bandwidth_gb_s, shared)) {
        return 0;
    }
    row->level[0] = '\0';
    return VERDICT_CACHE_RESIDENT;
}

unsigned levels_mixed_verdicts(const struct row *row, const struct device_info *info, const struct answer *answer,
                               bool shared) {
    const struct levels_limit limit = limit_of(info);
    const bool above = row->bandwidth_gb_s > levels_most_gb_s(&limit, answer, shared) * (1 + ROUNDING);
    return (above ? VERDICT_ABOVE_PEAK : 0u) | (answer->mixed ? VERDICT_CACHE_RESIDENT : 0u);
}

enum {
    LINKED_CACHE_MULTIPLE = 4
};

enum memory_kind levels_memory(const struct run *run) {
    const char *name = ((const struct levels_session *)run->session)->memory;
    return !name || strcmp(name, "device") == 0 ? MEMORY_DEVICE
           : strcmp(name, "pool") == 0          ? MEMORY_POOL
           : strcmp(name, "pinned") == 0        ? MEMORY_PINNED
                                                : MEMORY_MANAGED;
}

uint64_t levels_linked_bytes_most(const struct run *run) {
    return levels_memory(run) == MEMORY_PINNED ? LINKED_CACHE_MULTIPLE * run_info(run)->last_level_cache_bytes : 0;
}

void levels_finish_row(struct row *row, const struct measurement *measurement, double useful_bytes) {
    row_set_time(row, measurement);
    row->peak_gb_s = strcmp(row->level, "memory") == 0 && useful_bytes > 0 ? row->peak_gb_s : NAN;
    row->useful_bytes = useful_bytes;
    row->bandwidth_gb_s = useful_bytes / measurement->time_ns.median;
    row->peak_pct = 100 * row->bandwidth_gb_s / row->peak_gb_s;
    row_judge(row, measurement->verdicts | (row->peak_pct > 100 ? VERDICT_ABOVE_PEAK : 0u), measurement->verification);
}
