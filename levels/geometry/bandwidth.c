// The bandwidth of a level, of reads by all compute units.
#include <math.h>

#include "levels/geometry/statements.h"
#include "levels/levels.h"

static const double FILLED = 0.6; // share of a level's size that is read
// In last levels, so that the last level helps little, if a GPU has so much memory to spare.
static const double CPU_MEMORY_MULTIPLE = 16, GPU_MEMORY_MULTIPLE = 64, GPU_MEMORY_SHARE = 0.25;
static const double UNIT_BYTES_A_CLOCK = 128; // most that a GPU's unit loads from its L1

// Each unit has a separate footprint in a GPU's L1 and in the CPU's caches; all units read the other levels together.
static bool is_own(const struct geometry *geometry, const struct geometry_level *level) {
    return device_is_cpu(levels_info(geometry->run)) ? level->index + 1 < geometry->plateau_count : level->index == 0;
}

static double memory_footprint(const struct device_info *info, double last_level) {
    return device_is_cpu(info)
               ? CPU_MEMORY_MULTIPLE * last_level
               : fmin(GPU_MEMORY_MULTIPLE * last_level, GPU_MEMORY_SHARE * (double)device_free_bytes(info));
}

static double footprint_of(const struct geometry *geometry, const struct geometry_level *level) {
    const struct device_info *info = levels_info(geometry->run);
    if (level->index + 1 == geometry->plateau_count) {
        return level->index > 0 ? memory_footprint(info, geometry->plateaus[level->index - 1].size) : 0;
    }
    const uint32_t sharers = level->cache && level->cache->sharers ? level->cache->sharers : info->compute_units;
    const uint32_t units = sharers < info->compute_units ? sharers : info->compute_units;
    return FILLED * level->plateau->size / (device_is_cpu(info) ? units : 1);
}

// What the level can do at most, in GB/s; 0: unknown.
static double peak_of(const struct geometry *geometry, const struct geometry_level *level) {
    const struct device_info *info = levels_info(geometry->run);
    if (level->index + 1 == geometry->plateau_count) {
        return info->peak_gb_s > 0 ? info->peak_gb_s : 0;
    }
    if (device_is_cpu(info) || level->index > 0) {
        return 0;
    }
    return UNIT_BYTES_A_CLOCK * info->compute_units * info->clock_mhz / 1e3;
}

// On a CPU the fastest sample counts, because other programs only ever make one longer.
static enum status emit(struct geometry *geometry, const struct geometry_level *level,
                        const struct measurement *measurement, double bytes, struct error *error) {
    const bool cpu = device_is_cpu(levels_info(geometry->run));
    const double bandwidth = bytes / (cpu ? measurement->time_ns.min : measurement->time_ns.median);
    const double peak = peak_of(geometry, level);
    const struct statement statement = {.level = level->name,
                                        .parameter = "bandwidth",
                                        .value = bandwidth,
                                        .unit = "GB/s",
                                        .confidence_pct =
                                            geometry_confidence(measurement->time_ns.noise, measurement->samples),
                                        .expected = peak,
                                        .finding = geometry_compare_bandwidth(bandwidth, peak),
                                        .above_peak = peak > 0 && bandwidth > peak};
    return geometry_emit(geometry, &statement, error);
}

enum status geometry_emit_bandwidth(struct geometry *geometry, const struct geometry_level *level,
                                    struct error *error) {
    const struct device_info *info = levels_info(geometry->run);
    const double footprint = footprint_of(geometry, level);
    const struct stream_plan plan = stream_plan_make(info, STREAM_READ, is_own(geometry, level), (uint64_t)footprint);
    struct streaming stream;
    struct measurement measurement;
    enum verification verification;
    if (footprint <= 0 || stream_buffer_bytes(&plan) > device_free_bytes(info) / 2) {
        return STATUS_OK;
    }
    enum status status = stream_open(&stream, geometry->run, &plan, error);
    if (status == STATUS_OK) {
        const struct trial trial = stream_trial(&stream);
        status = run_trial(geometry->run, &trial, &measurement, &verification, error);
    }
    if (status == STATUS_OK) {
        geometry->right &= verification == VERIFICATION_PASSED;
        status = emit(geometry, level, &measurement, stream_useful_bytes(&stream.plan), error);
    }
    stream_close(&stream);
    return status;
}
