// The size, the line and the fetch of a level.
#include <math.h>
#include <stdint.h>

#include "levels/geometry/statements.h"
#include "levels/levels.h"

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

enum status geometry_emit_size(struct geometry *geometry, const struct geometry_level *level, struct error *error) {
    const struct plateau *plateau = level->plateau;
    const double documented = level->cache ? (double)level->cache->bytes : 0;
    const struct {
        const char *parameter;
        double value, expected;
        enum finding finding;
    } rows[] = {{"size", plateau->size, documented, geometry_compare_size(plateau, documented)},
                {"size at least", plateau->low, 0, FINDING_NOT_KNOWN},
                {"size at most", plateau->high, 0, FINDING_NOT_KNOWN}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == STATUS_OK; i++) {
        status = geometry_emit(geometry,
                               &(struct statement){.level = level->name,
                                                   .parameter = rows[i].parameter,
                                                   .value = rows[i].value,
                                                   .unit = "B",
                                                   .confidence_pct = plateau->confidence_pct,
                                                   .expected = rows[i].expected,
                                                   .finding = rows[i].finding},
                               error);
    }
    return status;
}

static enum status emit_bytes(struct geometry *geometry, const struct geometry_level *level, const char *parameter,
                              double bytes, double confidence_pct, double documented, struct error *error) {
    const struct statement statement = {.level = level->name,
                                        .parameter = parameter,
                                        .value = bytes,
                                        .unit = "B",
                                        .confidence_pct = confidence_pct,
                                        .expected = documented,
                                        .reason = bytes > 0 ? NULL : "no distance separates hits from misses",
                                        .finding = geometry_compare_count(bytes, documented)};
    return geometry_emit(geometry, &statement, error);
}

// Elements 1.5 lines apart skip every third line, so a level holds 1.5 times as many of them.
enum status geometry_emit_line(struct geometry *geometry, const struct geometry_level *level, struct error *error) {
    const struct plateau *plateau = level->plateau;
    const double hit = plateau->latency, miss = plateau[1].latency;
    double distances[LINES], latencies[LINES], confidence;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < LINES && status == STATUS_OK; i++) {
        const struct chain chain =
            chain_make((uint64_t)(LINE_FOOTPRINT * plateau->size), line_distances[i], 0, geometry->run->settings->seed);
        status = geometry_time_chain(geometry, &chain, &latencies[LINES - 1 - i], error);
        distances[LINES - 1 - i] = (double)line_distances[i] / 1.5;
    }
    // The accesses hit as long as lines are skipped; the order is from far to near.
    const double missing = fmin(miss, fmax(latencies[LINES - 1], latencies[LINES - 2]));
    const double first_missing =
        geometry_unskipped(distances, latencies, LINES, hit, fmax(missing, 1.2 * hit), &confidence);
    const double line = first_missing > 0 ? 2 * first_missing : 0;
    const double documented = level->cache ? level->cache->line_bytes : 0;
    return status == STATUS_OK ? emit_bytes(geometry, level, "line", line, confidence, documented, error) : status;
}

static double documented_fetch(const struct geometry *geometry, size_t index) {
    const struct gpu *gpu = levels_info(geometry->run)->gpu;
    const bool last = index + 2 == geometry->plateau_count;
    if (!gpu) {
        return device_is_cpu(levels_info(geometry->run)) ? (double)geometry->line : 0;
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
    double distances[PAIRS], latencies[PAIRS], confidence;
    const uint64_t pair_stride = PAIR_STRIDE_LINES * geometry->line;
    const uint64_t pairs = pairs_of(geometry, level);
    enum status status = STATUS_OK;
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
    for (size_t i = 0; i < PAIRS && status == STATUS_OK; i++) {
        const struct chain chain =
            chain_make_pairs(pairs, pair_stride, pair_distances[i], geometry->run->settings->seed);
        status = geometry_time_chain(geometry, &chain, &latencies[i], error);
        latencies[i] = 2 * latencies[i] - next; // of the second of a pair
        distances[i] = (double)pair_distances[i];
    }
    const double fetch = geometry_granularity(distances, latencies, PAIRS, plateau->latency, next, &confidence);
    if (confidence >= (double)GEOMETRY_SURE_PCT && level->index + 2 == geometry->plateau_count) {
        geometry->memory_fetch = (uint32_t)fetch;
    }
    const double documented = documented_fetch(geometry, level->index);
    return status == STATUS_OK ? emit_bytes(geometry, level, "fetch", fetch, confidence, documented, error) : status;
}
