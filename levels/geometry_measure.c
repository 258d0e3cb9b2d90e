// geometry: finds a device's caches from chases alone and compares them with the documented ones.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/verdict.h"
#include "levels/emit_gpu.h"
#include "levels/geometry.h"
#include "levels/levels.h"
#include "levels/levels_cpu.h"

enum {
    CURVE_MAX = 256,
    COARSE_AN_OCTAVE = 4,
    FINE_AN_OCTAVE = 24,
    CPU_FINE_AN_OCTAVE = 12, // because points of the CPU's last level take long
    FINE_MAX = 24,           // points added to one rise
    LAUNCHES = 5,            // the median of these counts
    PAIR_STRIDE_LINES = 17,  // lines between pairs: an odd number, so that they use all sets of a cache
    SURE_ENOUGH = 50,        // percent; a result below it is left out
    PAIRS = 6,
    LINES = 4,
};
static const double FIRST_FOOTPRINT = 1024;
static const double CACHE_MULTIPLE = 6;                         // the curve ends at this many last-level caches,
static const double UNKNOWN_LAST = (double)(UINT64_C(1) << 30); // or here if their size is unknown
static const double ROOM = 10;                                  // memory for the pairs, in last footprints of the curve
static const double MISSING_MULTIPLE = 3;                       // in sizes of the level: a turn misses it throughout
static const double LINE_FOOTPRINT = 1.25; // in sizes of the level: misses it unless lines are skipped
static const uint64_t pair_distances[PAIRS] = {8, 16, 32, 64, 128, 256};
static const uint64_t line_distances[LINES] = {48, 96, 192, 384}; // 1.5 lines of 32, 64, 128, 256 bytes

struct geometry {
    struct run *run;
    struct chase *chase;
    struct caches documented;
    uint64_t line;
    struct curve_point curve[CURVE_MAX];
    size_t count;
    struct plateau plateaus[PLATEAUS_MAX];
    size_t plateau_count;  // the last one is memory
    uint32_t memory_fetch; // bytes that a load fetches from memory; 0: unknown
    bool right;            // every chase ended where the chain leads
};

// ---- Chases ----

// Cycles if the device counts them, otherwise nanoseconds.
static enum status time_chain(struct geometry *geometry, const struct chain *chain, double *latency,
                              struct error *error) {
    struct chase_result result = {NAN, NAN, false};
    bool warm;
    *latency = NAN;
    enum status status = chase_prepare(geometry->chase, chain, &warm, error);
    if (status == STATUS_OK) {
        status = chase_sample(geometry->chase, LAUNCHES, &result, error);
    }
    geometry->right &= result.right;
    *latency = isfinite(result.latency_cycles) ? result.latency_cycles : result.latency_ns;
    return status;
}

static enum status add_point(struct geometry *geometry, double footprint, struct error *error) {
    const struct chain chain = chain_make((uint64_t)footprint, geometry->line, 0, geometry->run->settings->seed);
    const double bytes = (double)chain_bytes(&chain);
    size_t at = 0;
    if (bytes > (double)geometry->chase->memory_bytes) {
        return STATUS_OK;
    }
    while (at < geometry->count && geometry->curve[at].footprint < bytes) {
        at++;
    }
    if (geometry->count == CURVE_MAX || (at < geometry->count && geometry->curve[at].footprint == bytes)) {
        return STATUS_OK;
    }
    double latency;
    const enum status status = time_chain(geometry, &chain, &latency, error);
    memmove(&geometry->curve[at + 1], &geometry->curve[at], (geometry->count - at) * sizeof geometry->curve[0]);
    geometry->curve[at] = (struct curve_point){bytes, latency};
    geometry->count++;
    return status;
}

static double last_footprint(const struct run *run) {
    const struct device_info *info = levels_info(run);
    const double cache = fmax((double)info->last_level_cache_bytes, (double)info->reported_cache_bytes);
    return fmin(cache > 0 ? CACHE_MULTIPLE * cache : UNKNOWN_LAST, (double)device_free_bytes(info) / 2);
}

static double coarse_footprint(int i) {
    return (double)FIRST_FOOTPRINT * exp2((double)i / (double)COARSE_AN_OCTAVE);
}

// The number of rises is unknown beforehand, so each octave is priced as if it held part of one.
void levels_cost_geometry(const struct run *run, const struct point *point, struct point_cost *cost) {
    static const double WITH_RISES = 3;
    const double last = last_footprint(run);
    for (int i = 0; coarse_footprint(i) <= last; i++) {
        const struct chain chain = chain_make((uint64_t)coarse_footprint(i), levels_line_bytes(run, point), 0, 0);
        cost->prepare_s += WITH_RISES * chase_prepare_s(levels_info(run), &chain);
    }
    cost->make_bytes = ROOM * last;
}

// Takes four points per octave, then more where the curve rises.
static enum status take_curve(struct geometry *geometry, struct error *error) {
    const double last = last_footprint(geometry->run);
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && coarse_footprint(i) <= last; i++) {
        status = add_point(geometry, coarse_footprint(i), error);
    }
    geometry->plateau_count = plateaus_find(geometry->curve, geometry->count, geometry->plateaus);
    struct plateau coarse[PLATEAUS_MAX];
    memcpy(coarse, geometry->plateaus, sizeof coarse);
    const int fine = device_is_cpu(levels_info(geometry->run)) ? CPU_FINE_AN_OCTAVE : FINE_AN_OCTAVE;
    for (size_t i = 0; i + 1 < geometry->plateau_count; i++) {
        double footprint = coarse[i].low;
        for (int k = 0; k < FINE_MAX && footprint < coarse[i].high && status == STATUS_OK; k++) {
            footprint *= exp2(1.0 / fine);
            status = add_point(geometry, footprint, error);
        }
    }
    geometry->plateau_count = plateaus_find(geometry->curve, geometry->count, geometry->plateaus);
    return status;
}

// ---- Rows ----

static enum status emit(struct geometry *geometry, const char *level, const char *parameter, double value,
                        const char *unit, double confidence_pct, double documented, enum finding finding,
                        struct error *error) {
    static const char *const words[] = {
        [FINDING_AGREES] = "agrees", [FINDING_DIFFERS] = "differs", [FINDING_NOT_KNOWN] = "not known"};
    struct row row = run_row(geometry->run);
    row.peak_gb_s = NAN;
    snprintf(row.level, sizeof row.level, "%s", level);
    snprintf(row.parameter, sizeof row.parameter, "%s", parameter);
    row.value = value;
    snprintf(row.unit, sizeof row.unit, "%s", unit);
    row.confidence_pct = confidence_pct;
    if (documented > 0) {
        snprintf(row.expected, sizeof row.expected, "%.15g", documented);
    }
    snprintf(row.model, sizeof row.model, "%s", words[finding]);
    snprintf(row.verified, sizeof row.verified, "%s", geometry->right ? "yes" : "no");
    verdict_format(row.verdict, geometry->right ? VERDICT_OK : VERDICT_UNVERIFIED);
    return run_emit(geometry->run, &row, error);
}

static enum finding compare(double value, double documented) {
    return documented <= 0 ? FINDING_NOT_KNOWN : value == documented ? FINDING_AGREES : FINDING_DIFFERS;
}

static const char *unit_of(const struct geometry *geometry) {
    return device_is_cpu(levels_info(geometry->run)) ? "ns" : "cycles";
}

static enum status emit_size(struct geometry *geometry, const char *level, const struct plateau *plateau,
                             double documented, struct error *error) {
    const enum finding finding = geometry_compare_size(plateau, documented);
    enum status status =
        emit(geometry, level, "size", plateau->size, "B", plateau->confidence_pct, documented, finding, error);
    if (status == STATUS_OK) {
        status = emit(geometry, level, "size at least", plateau->low, "B", plateau->confidence_pct, 0,
                      FINDING_NOT_KNOWN, error);
    }
    if (status == STATUS_OK) {
        status = emit(geometry, level, "size at most", plateau->high, "B", plateau->confidence_pct, 0,
                      FINDING_NOT_KNOWN, error);
    }
    return status;
}

// Elements 1.5 lines apart skip every third line, so a level holds 1.5 times as many of them.
static enum status emit_line(struct geometry *geometry, const char *level, size_t index, double documented,
                             struct error *error) {
    const struct plateau *plateau = &geometry->plateaus[index];
    const double hit = plateau->latency, miss = plateau[1].latency;
    double distances[LINES], latencies[LINES], confidence;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < LINES && status == STATUS_OK; i++) {
        const struct chain chain =
            chain_make((uint64_t)(LINE_FOOTPRINT * plateau->size), line_distances[i], 0, geometry->run->settings->seed);
        status = time_chain(geometry, &chain, &latencies[LINES - 1 - i], error);
        distances[LINES - 1 - i] = (double)line_distances[i] / 1.5;
    }
    // The accesses hit as long as lines are skipped; the order is from far to near.
    const double missing = fmin(miss, fmax(latencies[LINES - 1], latencies[LINES - 2]));
    const double first_missing =
        geometry_granularity(distances, latencies, LINES, hit, fmax(missing, 1.2 * hit), &confidence);
    const double line = first_missing > 0 ? 2 * first_missing : 0;
    if (status != STATUS_OK || line == 0 || confidence < (double)SURE_ENOUGH) {
        return status;
    }
    return emit(geometry, level, "line", line, "B", confidence, documented, compare(line, documented), error);
}

// A level's fetch is the distance up to which it serves the second access of a pair.
static enum status emit_fetch(struct geometry *geometry, const char *level, size_t index, double documented,
                              struct error *error) {
    const struct plateau *plateau = &geometry->plateaus[index];
    const double next = plateau[1].latency;
    double distances[PAIRS], latencies[PAIRS], confidence;
    const uint64_t pair_stride = PAIR_STRIDE_LINES * geometry->line;
    const uint64_t pairs = (uint64_t)(MISSING_MULTIPLE * plateau->high / (double)geometry->line);
    enum status status = STATUS_OK;
    if (pairs * pair_stride > geometry->chase->memory_bytes) {
        return STATUS_OK;
    }
    for (size_t i = 0; i < PAIRS && status == STATUS_OK; i++) {
        const struct chain chain =
            chain_make_pairs(pairs, pair_stride, pair_distances[i], geometry->run->settings->seed);
        status = time_chain(geometry, &chain, &latencies[i], error);
        latencies[i] = 2 * latencies[i] - next; // of the second of a pair
        distances[i] = (double)pair_distances[i];
    }
    const double fetch = geometry_granularity(distances, latencies, PAIRS, plateau->latency, next, &confidence);
    if (confidence >= (double)SURE_ENOUGH && index + 2 == geometry->plateau_count) {
        geometry->memory_fetch = (uint32_t)fetch;
    }
    if (status != STATUS_OK || fetch == 0 || confidence < (double)SURE_ENOUGH) {
        return status;
    }
    return emit(geometry, level, "fetch", fetch, "B", confidence, documented, compare(fetch, documented), error);
}

static double documented_fetch(const struct geometry *geometry, size_t index) {
    const struct gpu *gpu = levels_info(geometry->run)->gpu;
    const bool last = index + 2 == geometry->plateau_count;
    if (!gpu) {
        return device_is_cpu(levels_info(geometry->run)) ? (double)geometry->line : 0;
    }
    return last && gpu->load_fetch_bytes ? gpu->load_fetch_bytes : gpu->sector_bytes;
}

static enum status emit_level(struct geometry *geometry, size_t index, struct error *error) {
    const struct plateau *plateau = &geometry->plateaus[index];
    const size_t match = geometry_match(&geometry->documented, plateau, index, geometry->plateau_count - 1);
    const struct cache *cache = match == SIZE_MAX ? NULL : &geometry->documented.levels[match];
    char level[32];
    snprintf(level, sizeof level, "level %zu", index + 1);
    const char *name = cache ? cache->name : level;
    const double line = cache ? cache->line_bytes : 0;
    enum status status = emit_size(geometry, name, plateau, cache ? (double)cache->bytes : 0, error);
    if (status == STATUS_OK) {
        status = emit(geometry, name, "latency", plateau->latency, unit_of(geometry), plateau->confidence_pct, 0,
                      FINDING_NOT_KNOWN, error);
    }
    if (status == STATUS_OK) {
        status = emit_line(geometry, name, index, line, error);
    }
    return status == STATUS_OK ? emit_fetch(geometry, name, index, documented_fetch(geometry, index), error) : status;
}

static enum status emit_levels(struct geometry *geometry, struct error *error) {
    enum status status = STATUS_OK;
    if (geometry->plateau_count == 0) {
        return error_set(error, STATUS_FAILED,
                         "%s: the latency curve is too noisy to tell levels: close other programs",
                         levels_info(geometry->run)->spec);
    }
    for (size_t i = 0; i + 1 < geometry->plateau_count && status == STATUS_OK; i++) {
        status = emit_level(geometry, i, error);
    }
    const struct plateau *memory = &geometry->plateaus[geometry->plateau_count - 1];
    return status == STATUS_OK ? emit(geometry, "memory", "latency", memory->latency, unit_of(geometry),
                                      memory->confidence_pct, 0, FINDING_NOT_KNOWN, error)
                               : status;
}

static enum status keep_row(const struct geometry *geometry, struct error *error) {
    struct levels_session *session = geometry->run->session;
    const struct device_info *info = levels_info(geometry->run);
    size_t bytes;
    if (!session->emit_gpu || device_is_cpu(info)) {
        return STATUS_OK;
    }
    free(session->row);
    FILE *text = open_memstream(&session->row, &bytes);
    if (!text) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    emit_gpu(text, info, geometry->plateaus, geometry->plateau_count, geometry->memory_fetch);
    return fclose(text) == 0 ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
}

enum status levels_measure_geometry(struct run *run, const struct point *point, struct error *error) {
    static const struct chase_kernel kernel = {"chase", levels_cpu_chase, CHASE_MEMORY};
    struct geometry *geometry = calloc(1, sizeof *geometry);
    if (!geometry) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    geometry->run = run;
    geometry->chase = &((union levels_state *)run->state)->chase;
    geometry->documented = caches_of(levels_info(run));
    geometry->line = levels_line_bytes(run, point);
    geometry->right = true;
    const double room = fmin(ROOM * last_footprint(run), (double)device_free_bytes(levels_info(run)) / 2);
    enum status status = chase_open(geometry->chase, run->bench_device, &kernel, (uint64_t)room, error);
    if (status == STATUS_OK) {
        status = take_curve(geometry, error);
    }
    if (status == STATUS_OK) {
        status = emit_levels(geometry, error);
    }
    if (status == STATUS_OK) {
        status = keep_row(geometry, error);
    }
    free(geometry);
    return status;
}
