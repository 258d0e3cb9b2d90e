// A measurement of the geometry: the state that its sources share.
#ifndef LEVELS_GEOMETRY_RUN_H
#define LEVELS_GEOMETRY_RUN_H

#include "bench/probe.h"
#include "levels/chase.h"
#include "levels/geometry/detect.h"

enum {
    GEOMETRY_CURVE_MAX = 256,
    GEOMETRY_NAME = 16,
    GEOMETRY_SURE_PCT = 50, // a value with less confidence is not shown
};

struct geometry {
    struct run *run;
    struct chase *chase;
    struct caches documented;
    uint64_t line;
    struct curve_point curve[GEOMETRY_CURVE_MAX];
    size_t count;
    struct plateau plateaus[PLATEAUS_MAX];
    size_t plateau_count;   // the last one is memory
    uint32_t memory_fetch;  // bytes that a load fetches from memory; 0: unknown
    double *unit_latencies; // at which each of a GPU's units finds what the first has just loaded; NULL: not measured
    bool has_all_units;     // some block ran on each of them
    bool right;             // every chase ended where the chain leads
};

// A level of the curve.
struct geometry_level {
    size_t index;
    const struct plateau *plateau;
    const struct cache *cache; // the documented one; NULL: none
    char name[GEOMETRY_NAME];
};

// The content of a row.
struct statement {
    const char *level, *parameter;
    double value;
    const char *unit;
    double confidence_pct;
    double expected; // 0: undocumented
    enum finding finding;
    const char *reason;  // why there is no value; NULL: there is one
    bool above_peak;     // the value exceeds what the device can do, so it is not true
    uint64_t page_bytes; // 0: does not apply
};

// Cycles if the device counts them, otherwise nanoseconds.
enum status geometry_time_chain(struct geometry *geometry, const struct chain *chain, double *latency,
                                struct error *error);

// Writes a row; one without a value if there is a reason or the confidence is too low.
enum status geometry_emit(struct geometry *geometry, const struct statement *statement, struct error *error);

struct geometry_level geometry_level_of(const struct geometry *geometry, size_t index);

#endif
