// What geometry states of each level and of the TLB, from chases that it asks one question each.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "levels/geometry/geometry.h"
#include "levels/levels_cpu.h"
#include "levels/levels_detail.h"

// ---- Size, line and fetch ----

enum {
    PAIR_STRIDE_LINES = 17, // lines between pairs: an odd number, so that they use all sets of a cache
    PAIRS = 6,
    LINES = 4,
};
static const double MISSING_MULTIPLE = 3;  // in sizes of the level: a turn misses it throughout
static const double MISSING_LEAST = 1.5;   // the same, at least
static const double HELD = 0.8;            // share of a level's size that it surely holds
static const double LINE_FOOTPRINT = 1.25; // in sizes of the level: misses it unless lines are skipped
static const uint64_t pair_distances[PAIRS] = {8, 16, 32, 64, 128, 256};
static const uint64_t line_distances[LINES] = {48, 96, 192, 384}; // 1.5 lines of 32, 64, 128, 256 bytes

#define GRADUAL_REASON "the latency rises over more than an octave of footprints"

enum status geometry_emit_size(struct geometry *geometry, const struct geometry_level *level, struct error *error) {
    const struct plateau *plateau = level->plateau;
    const double documented = level->cache ? (double)level->cache->bytes : 0;
    const struct statement bound = {
        .level = level->name, .unit = "B", .confidence_pct = plateau->confidence_pct, .finding = FINDING_NOT_KNOWN};
    struct statement size = bound, least = bound, most = bound;
    size.parameter = "size";
    size.value = plateau->size;
    size.expected = documented;
    size.finding = geometry_compare_size(plateau, documented);
    size.reason = geometry_is_gradual(plateau) ? GRADUAL_REASON : NULL;
    least.parameter = "size at least";
    least.value = plateau->low;
    most.parameter = "size at most";
    most.value = plateau->high;
    TRY(geometry_emit(geometry, &size, error));
    TRY(geometry_emit(geometry, &least, error));
    return geometry_emit(geometry, &most, error);
}

// Says why there is no answer if the search found no distance, which is 0 then.
static const char *unseparated(double distance) {
    return distance > 0 ? NULL : "no distance separates hits from misses";
}

// Elements 1.5 lines apart skip every third line, so a level holds 1.5 times as many of them.
enum status geometry_emit_line(struct geometry *geometry, const struct geometry_level *level, struct error *error) {
    const struct plateau *plateau = level->plateau;
    const double hit = plateau->latency, miss = plateau[1].latency;
    double distances[LINES], latencies[LINES], scatter, confidence;
    struct chain chains[LINES];
    for (size_t i = 0; i < LINES; i++) { // from far to near
        const uint64_t distance = line_distances[LINES - 1 - i];
        chains[i] = chain_make((uint64_t)(LINE_FOOTPRINT * plateau->size), distance, 0, geometry->run->settings->seed);
        distances[i] = (double)distance / 1.5;
    }
    TRY(geometry_ask_chains(geometry, chains, LINES, latencies, &scatter, error));
    // The accesses hit as long as lines are skipped.
    const double slowest = fmin(miss, fmax(latencies[LINES - 1], latencies[LINES - 2]));
    const double missing = fmax(slowest, 1.2 * hit);
    const double first_missing = geometry_unskipped(distances, latencies, LINES, hit, missing, &confidence);
    const double line = first_missing > 0 ? 2 * first_missing : 0;
    confidence = geometry_clear_pct(confidence, hit, missing, scatter);
    struct statement statement = {.level = level->name,
                                  .parameter = "line",
                                  .value = line,
                                  .unit = "B",
                                  .confidence_pct = confidence,
                                  .expected = level->cache ? level->cache->line_bytes : 0,
                                  .reason = unseparated(line)};
    return geometry_emit_count(geometry, &statement, error);
}

static double documented_fetch(const struct geometry *geometry, size_t index) {
    const struct gpu *gpu = run_info(geometry->run)->gpu;
    const bool last = index + 2 == geometry->plateau_count;
    if (!gpu) {
        return device_is_cpu(run_info(geometry->run)) ? (double)geometry->line : 0;
    }
    return last && gpu->load_fetch_bytes ? gpu->load_fetch_bytes : gpu->sector_bytes;
}

// The number of pairs that makes the level miss all of them while the next level holds both lines of each; 0: none.
static uint64_t pairs_of(const struct geometry *geometry, const struct geometry_level *level) {
    const double next = level->plateau[1].size, wanted = MISSING_MULTIPLE * level->plateau->high;
    const double most = next > 0 ? HELD * next / 2 : wanted, least = MISSING_LEAST * level->plateau->size;
    const double bytes = fmin(wanted, most);
    return bytes < least ? 0 : (uint64_t)(bytes / (double)geometry->line);
}

// A level's fetch is the distance up to which it serves the second access of a pair.
enum status geometry_emit_fetch(struct geometry *geometry, const struct geometry_level *level, struct error *error) {
    const struct plateau *plateau = level->plateau;
    const double next = plateau[1].latency;
    double distances[PAIRS], latencies[PAIRS], scatter, confidence;
    struct chain chains[PAIRS];
    const uint64_t pair_stride = PAIR_STRIDE_LINES * geometry->line;
    const uint64_t pairs = pairs_of(geometry, level);
    if (pairs == 0 || pairs * pair_stride > geometry->chase->memory_bytes) {
        return geometry_emit(geometry,
                             &(struct statement){.level = level->name,
                                                 .parameter = "fetch",
                                                 .expected = documented_fetch(geometry, level->index),
                                                 .reason = pairs == 0 ? "the next level is not large enough to hold "
                                                                        "pairs of lines that this one misses"
                                                                      : "there is too little memory"},
                             error);
    }
    for (size_t i = 0; i < PAIRS; i++) {
        chains[i] = chain_make_pairs(pairs, pair_stride, pair_distances[i], geometry->run->settings->seed);
        distances[i] = (double)pair_distances[i];
    }
    TRY(geometry_ask_chains(geometry, chains, PAIRS, latencies, &scatter, error));
    for (size_t i = 0; i < PAIRS; i++) {
        latencies[i] = 2 * latencies[i] - next; // of the second of a pair
    }
    const double fetch = geometry_granularity(distances, latencies, PAIRS, plateau->latency, next, &confidence);
    confidence = geometry_clear_pct(confidence, plateau->latency, next, 2 * scatter);
    if (confidence >= (double)GEOMETRY_SURE_PCT && level->index + 2 == geometry->plateau_count) {
        geometry->memory_fetch = (uint32_t)fetch;
    }
    struct statement statement = {.level = level->name,
                                  .parameter = "fetch",
                                  .value = fetch,
                                  .unit = "B",
                                  .confidence_pct = confidence,
                                  .expected = documented_fetch(geometry, level->index),
                                  .reason = unseparated(fetch)};
    return geometry_emit_count(geometry, &statement, error);
}

// ---- Ways: the number of lines of one set that a level holds ----

enum {
    POINTS = 27
};
// One by one up to the ways of usual caches, then up to twice that.
static const double set_elements[POINTS] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                            16, 17, 18, 19, 20, 21, 22, 23, 24, 28, 32, 40, 48};

// Lines a power of two apart that is not below the level's size are in one set, if addresses are not hashed.
static uint64_t set_distance(const struct plateau *plateau) {
    uint64_t distance = 1;
    while ((double)distance < plateau->size) {
        distance *= 2;
    }
    return distance;
}

enum status geometry_emit_ways(struct geometry *geometry, const struct geometry_level *level, struct error *error) {
    const struct plateau *plateau = level->plateau;
    const uint64_t distance = set_distance(plateau);
    double latencies[POINTS], scatter, confidence;
    struct chain chains[POINTS];
    struct statement ways = {
        .level = level->name, .parameter = "ways", .unit = "", .expected = level->cache ? level->cache->ways : 0};
    if ((double)distance * set_elements[POINTS - 1] > (double)geometry->chase->memory_bytes) {
        ways.reason = "there is too little memory";
        return geometry_emit_count(geometry, &ways, error);
    }
    for (size_t i = 0; i < POINTS; i++) {
        chains[i] = chain_make((uint64_t)set_elements[i] * distance, distance, 0, geometry->run->settings->seed);
    }
    TRY(geometry_ask_chains(geometry, chains, POINTS, latencies, &scatter, error));
    ways.value = geometry_ways(set_elements, latencies, POINTS, plateau->latency, plateau[1].latency, &confidence);
    ways.confidence_pct = geometry_clear_pct(confidence, plateau->latency, plateau[1].latency, scatter);
    if (ways.value <= 0) {
        ways.reason = "no number of lines of one set separates hits from misses: addresses may be hashed";
    }
    return geometry_emit_count(geometry, &ways, error);
}

// ---- Bandwidth: of reads by all compute units ----

static const double FILLED = 0.6; // share of a level's size that is read
// In last levels, so that the last level helps little, if a GPU has so much memory to spare.
static const double CPU_MEMORY_MULTIPLE = 16, GPU_MEMORY_MULTIPLE = 64, GPU_MEMORY_SHARE = 0.25;
static const double UNIT_BYTES_A_CLOCK = 128; // most that a GPU's unit loads from its L1

// Each unit has a separate footprint in a GPU's L1 and in the CPU's caches; all units read the other levels together.
static bool is_own(const struct geometry *geometry, const struct geometry_level *level) {
    return device_is_cpu(run_info(geometry->run)) ? level->index + 1 < geometry->plateau_count : level->index == 0;
}

static double memory_footprint(const struct device_info *info, double last_level) {
    return device_is_cpu(info)
               ? CPU_MEMORY_MULTIPLE * last_level
               : fmin(GPU_MEMORY_MULTIPLE * last_level, GPU_MEMORY_SHARE * (double)device_free_bytes(info));
}

static double footprint_of(const struct geometry *geometry, const struct geometry_level *level) {
    const struct device_info *info = run_info(geometry->run);
    if (level->index + 1 == geometry->plateau_count) {
        return level->index > 0 ? memory_footprint(info, geometry->plateaus[level->index - 1].size) : 0;
    }
    const uint32_t sharers = level->cache && level->cache->sharers ? level->cache->sharers : info->compute_units;
    const uint32_t units = sharers < info->compute_units ? sharers : info->compute_units;
    return FILLED * level->plateau->size / (device_is_cpu(info) ? units : 1);
}

// What the level can do at most, in GB/s; 0: unknown.
static double peak_of(const struct geometry *geometry, const struct geometry_level *level) {
    const struct device_info *info = run_info(geometry->run);
    if (level->index + 1 == geometry->plateau_count) {
        return info->peak_gb_s > 0 ? info->peak_gb_s : 0;
    }
    if (device_is_cpu(info) || level->index > 0) {
        return 0;
    }
    return UNIT_BYTES_A_CLOCK * info->compute_units * info->clock_mhz / 1e3;
}

// On a CPU the fastest sample counts, because other programs only ever make one longer.
static struct geometry_rate rate_of(const struct measurement *measurement, double bytes, bool is_cpu) {
    const struct statistics *time = &measurement->time_ns;
    return is_cpu
               ? (struct geometry_rate){bytes / time->min, geometry_confidence_of_shortest(time, measurement->samples,
                                                                                           measurement->waited_pct)}
               : (struct geometry_rate){bytes / time->median, geometry_confidence(time->noise, measurement->samples)};
}

// Leaves a rate of 0 where there is no footprint or too little memory.
static enum status measure_rate(struct geometry *geometry, const struct geometry_level *level,
                                struct geometry_rate *rate, struct error *error) {
    const struct device_info *info = run_info(geometry->run);
    const double footprint = footprint_of(geometry, level);
    const struct stream_plan plan = stream_plan_make(info, STREAM_READ, is_own(geometry, level), (uint64_t)footprint);
    struct streaming stream;
    struct measurement measurement;
    if (footprint <= 0 || stream_buffer_bytes(&plan) > device_free_bytes(info) / 2) {
        return STATUS_OK;
    }
    enum status status = stream_open(&stream, geometry->run, &plan, error);
    if (status == STATUS_OK) {
        const struct trial trial = stream_trial(&stream);
        status = run_trial(geometry->run, &trial, &measurement, error);
    }
    if (status == STATUS_OK) {
        geometry->right &= measurement.verification == VERIFICATION_PASSED;
        *rate = rate_of(&measurement, stream_useful_bytes(&stream.plan), device_is_cpu(info));
        rate->confidence_pct = fmin(rate->confidence_pct, level->plateau->confidence_pct);
    }
    stream_close(&stream);
    return status;
}

// The fastest of the levels from this one on, as far as they are sure.
static double next_rate(const struct geometry *geometry, size_t index) {
    double fastest = 0;
    for (size_t i = index + 1; i < geometry->plateau_count; i++) {
        const struct geometry_rate *rate = &geometry->rates[i];
        fastest = rate->confidence_pct >= (double)GEOMETRY_SURE_PCT ? fmax(fastest, rate->gb_s) : fastest;
    }
    return fastest;
}

// From memory on, because a level that seems slower than the one behind it was disturbed, and is measured again.
enum status geometry_measure_rates(struct geometry *geometry, struct error *error) {
    enum {
        ATTEMPTS = 3
    };
    enum status status = STATUS_OK;
    for (size_t i = geometry->plateau_count; i-- > 0;) {
        const struct geometry_level level = geometry_level_of(geometry, i);
        struct geometry_rate *best = &geometry->rates[i];
        bool is_clear = false;
        for (int attempt = 0; attempt < ATTEMPTS && !is_clear && status == STATUS_OK; attempt++) {
            struct geometry_rate rate = {0};
            status = measure_rate(geometry, &level, &rate, error);
            *best = rate.gb_s > best->gb_s ? rate : *best;
            is_clear = best->gb_s == 0 || (best->confidence_pct >= (double)GEOMETRY_SURE_PCT &&
                                           !geometry_is_slower(best->gb_s, next_rate(geometry, i)));
        }
    }
    return status;
}

enum status geometry_emit_bandwidth(struct geometry *geometry, const struct geometry_level *level,
                                    struct error *error) {
    const struct geometry_rate *rate = &geometry->rates[level->index];
    const double peak = peak_of(geometry, level);
    const bool is_slower = geometry_is_slower(rate->gb_s, next_rate(geometry, level->index));
    const struct statement statement = {.level = level->name,
                                        .parameter = "bandwidth",
                                        .value = rate->gb_s,
                                        .unit = "GB/s",
                                        .confidence_pct = rate->confidence_pct,
                                        .expected = peak,
                                        .finding = geometry_compare_bandwidth(rate->gb_s, peak),
                                        .reason = is_slower ? "it seems slower than a level behind it" : NULL,
                                        .above_peak = peak > 0 && rate->gb_s > peak};
    return rate->gb_s > 0 ? geometry_emit(geometry, &statement, error) : STATUS_OK;
}

// ---- The reach of the TLB: the same number of elements as before, but each on a separate page ----

enum {
    POINTS_MAX = 64,
    FIRST_ELEMENTS = 16,
    POINTS_AN_OCTAVE = 4,
};
static const uint64_t LARGE_PAGE = 2 << 20;
static const double CACHED = 0.5; // share of the second cache that the elements' lines take at most

struct reach {
    uint64_t page_bytes;
    size_t count;
    double elements[POINTS_MAX];
    double near[POINTS_MAX]; // latencies of adjacent elements
    struct curve_point far[POINTS_MAX];
};

// A GPU's L1 answers without the TLB, so there must be too many elements for L1.
static double first_elements(const struct geometry *geometry) {
    static const double PAST_L1 = 2; // in sizes of L1
    return device_is_cpu(run_info(geometry->run)) ? (double)FIRST_ELEMENTS
                                                  : PAST_L1 * geometry->plateaus[0].size / (double)geometry->line;
}

static struct reach reach_of(const struct geometry *geometry, uint64_t page_bytes) {
    struct reach reach = {.page_bytes = page_bytes};
    const size_t cached = geometry->plateau_count > 2 ? 1 : 0;
    const double lines = CACHED * geometry->plateaus[cached].size / (double)geometry->line;
    const double most = fmin((double)(geometry->chase->memory_bytes / page_bytes), lines);
    for (int i = 0; reach.count < POINTS_MAX; i++) {
        const double elements = round(first_elements(geometry) * exp2((double)i / (double)POINTS_AN_OCTAVE));
        if (elements > most) {
            break;
        }
        reach.elements[reach.count++] = elements;
    }
    return reach;
}

// Sets the latencies of chains whose elements are this distance apart.
static enum status time_elements(struct geometry *geometry, const struct reach *reach, uint64_t distance,
                                 uint64_t stagger_bytes, double *latencies, struct error *error) {
    struct chain chains[POINTS_MAX];
    double scatter;
    for (size_t i = 0; i < reach->count; i++) {
        chains[i] = chain_make((uint64_t)reach->elements[i] * distance, distance, 0, geometry->run->settings->seed);
        chains[i].stagger_bytes = stagger_bytes;
    }
    return geometry_ask_chains(geometry, chains, reach->count, latencies, &scatter, error);
}

// Subtracts what the caches add, so that the curve shows the TLB alone.
static enum status time_far(struct geometry *geometry, struct reach *reach, struct error *error) {
    const uint64_t stagger_bytes = levels_stagger_bytes(run_info(geometry->run));
    double latencies[POINTS_MAX];
    TRY(time_elements(geometry, reach, reach->page_bytes, stagger_bytes, latencies, error));
    for (size_t i = 0; i < reach->count; i++) {
        const double alone = reach->near[0] + fmax(latencies[i] - reach->near[i], 0);
        reach->far[i] = (struct curve_point){reach->elements[i] * (double)reach->page_bytes, alone, 0};
    }
    return STATUS_OK;
}

static enum status emit_reach(struct geometry *geometry, const struct reach *reach, struct error *error) {
    struct plateau plateaus[PLATEAUS_MAX];
    const size_t count = plateaus_find(reach->far, reach->count, plateaus);
    struct statement statement = {
        .level = "TLB", .unit = "B", .finding = FINDING_NOT_KNOWN, .page_bytes = reach->page_bytes};
    for (size_t i = 0; i + 1 < count; i++) {
        statement.parameter = i == 0 ? "page reach" : "next page reach";
        statement.value = plateaus[i].size;
        statement.confidence_pct = plateaus[i].confidence_pct;
        TRY(geometry_emit(geometry, &statement, error));
    }
    if (count != 1) {
        return STATUS_OK;
    }
    statement.parameter = "page reach at least"; // beyond the last point it is unknown
    statement.value = reach->far[reach->count - 1].footprint;
    statement.confidence_pct = plateaus[0].confidence_pct;
    return geometry_emit(geometry, &statement, error);
}

// Adjacent elements are measured in large pages, so that only small pages need the TLB.
static enum status emit_pages(struct geometry *geometry, uint64_t page_bytes, struct error *error) {
    struct reach reach = reach_of(geometry, page_bytes);
    TRY(time_elements(geometry, &reach, geometry->line, 0, reach.near, error));
    if (page_bytes < LARGE_PAGE) {
        levels_cpu_small_pages(geometry->chase->memory, geometry->chase->memory_bytes);
    }
    TRY(time_far(geometry, &reach, error));
    return emit_reach(geometry, &reach, error);
}

// A GPU's pages reach so far that the curve's memory does not suffice.
static enum status emit_on_gpu(struct geometry *geometry, struct error *error) {
    const uint64_t bytes = (device_free_bytes(run_info(geometry->run)) - geometry->chase->memory_bytes) / 2;
    struct chase *narrow = geometry->chase, *wide = memory_zeros(1, sizeof *wide);
    enum status status = chase_open(wide, geometry->run->bench_device, &chase_of_loads, MEMORY_DEVICE, bytes, error);
    geometry->chase = wide;
    THEN(status, emit_pages(geometry, LARGE_PAGE, error));
    geometry->chase = narrow;
    chase_close(wide);
    free(wide);
    return status;
}

enum status geometry_emit_reach(struct geometry *geometry, struct error *error) {
    if (geometry->plateau_count < 2) {
        return STATUS_OK; // without a documented cache, its effect cannot be separated from the TLB's
    }
    if (!device_is_cpu(run_info(geometry->run))) {
        return emit_on_gpu(geometry, error);
    }
    TRY(emit_pages(geometry, LARGE_PAGE, error));
    return emit_pages(geometry, (uint64_t)sysconf(_SC_PAGESIZE), error);
}
