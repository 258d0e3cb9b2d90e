// The associativity of a level: the number of lines of one set that it holds.
#include <math.h>
#include <stdint.h>

#include "levels/geometry/statements.h"
#include "levels/levels.h"

enum {
    POINTS = 27
};
// One by one up to the ways of usual caches, then up to twice that.
static const double elements[POINTS] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                        16, 17, 18, 19, 20, 21, 22, 23, 24, 28, 32, 40, 48};

// Lines a power of two apart that is not below the level's size are in one set, if addresses are not hashed.
static uint64_t set_distance(const struct plateau *plateau) {
    uint64_t distance = 1;
    while ((double)distance < plateau->size) {
        distance *= 2;
    }
    return distance;
}

static enum status emit(struct geometry *geometry, const struct geometry_level *level, double ways,
                        double confidence_pct, const char *reason, struct error *error) {
    const double documented = level->cache ? level->cache->ways : 0;
    const struct statement statement = {.level = level->name,
                                        .parameter = "ways",
                                        .value = ways,
                                        .unit = "",
                                        .confidence_pct = confidence_pct,
                                        .expected = documented,
                                        .reason = reason,
                                        .finding = geometry_compare_count(ways, documented)};
    return geometry_emit(geometry, &statement, error);
}

enum status geometry_emit_ways(struct geometry *geometry, const struct geometry_level *level, struct error *error) {
    const struct plateau *plateau = level->plateau;
    const uint64_t distance = set_distance(plateau);
    double latencies[POINTS], confidence;
    enum status status = STATUS_OK;
    if ((double)distance * elements[POINTS - 1] > (double)geometry->chase->memory_bytes) {
        return emit(geometry, level, 0, 0, "there is too little memory", error);
    }
    for (size_t i = 0; i < POINTS && status == STATUS_OK; i++) {
        const struct chain chain =
            chain_make((uint64_t)elements[i] * distance, distance, 0, geometry->run->settings->seed);
        status = geometry_time_chain(geometry, &chain, &latencies[i], error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    const double ways = geometry_ways(elements, latencies, POINTS, plateau->latency, plateau[1].latency, &confidence);
    return emit(geometry, level, ways, confidence,
                ways > 0 ? NULL : "no number of lines of one set separates hits from misses: addresses may be hashed",
                error);
}
