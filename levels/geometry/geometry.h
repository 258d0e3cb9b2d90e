// A measurement of the geometry: the state that its sources share, and what each states of a level or of the TLB.
#ifndef LEVELS_GEOMETRY_GEOMETRY_H
#define LEVELS_GEOMETRY_GEOMETRY_H

#include "bench/probe.h"
#include "levels/chase.h"
#include "levels/geometry/detect.h"

enum {
    GEOMETRY_CURVE_MAX = 256,
    GEOMETRY_NAME = 16,
    GEOMETRY_CHAINS_MAX = 64, // that answer one question
    GEOMETRY_SURE_PCT = 50,   // a value with less confidence is not shown
};

// The bandwidth of a level.
struct geometry_rate {
    double gb_s; // 0: not measured
    double confidence_pct;
};

struct geometry {
    struct run *run;
    struct chase *chase;
    struct caches documented;
    uint64_t line;
    struct curve_point curve[GEOMETRY_CURVE_MAX];
    size_t count;
    struct plateau plateaus[PLATEAUS_MAX];
    size_t plateau_count; // the last one is memory
    struct geometry_rate rates[PLATEAUS_MAX];
    uint32_t memory_fetch;   // bytes that a load fetches from memory; 0: unknown
    double *unit_latencies;  // at which each of a GPU's units finds what the first has just loaded; NULL: not measured
    bool has_all_units;      // some block ran on each of them
    bool right;              // every chase ended where the chain leads
    double first_s, again_s; // spent on chases, and on their repetition
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

// Times chains that answer one question together. *scatter becomes the most by which a latency is doubtful, not
// relative. On a CPU they take turns, because another program that uses the same caches may stay for a while.
enum status geometry_ask_chains(struct geometry *geometry, const struct chain *chains, size_t count, double *latencies,
                                double *scatter, struct error *error);

// Adds a point to the curve unless there is one, or too little memory.
enum status geometry_add_point(struct geometry *geometry, double footprint, struct error *error);

// Another program may have lengthened some chases for as long as they took. Such points are measured again.
enum status geometry_retake_disturbed(struct geometry *geometry, struct error *error);

// Writes a row; one without a value if there is a reason or the confidence is too low.
enum status geometry_emit(struct geometry *geometry, const struct statement *statement, struct error *error);

// The same of a number that is right or wrong: sets the finding.
enum status geometry_emit_count(struct geometry *geometry, struct statement *statement, struct error *error);

struct geometry_level geometry_level_of(const struct geometry *geometry, size_t index);

// ---- Statements about one level ----

enum status geometry_emit_size(struct geometry *geometry, const struct geometry_level *level, struct error *error);
enum status geometry_emit_line(struct geometry *geometry, const struct geometry_level *level, struct error *error);
enum status geometry_emit_fetch(struct geometry *geometry, const struct geometry_level *level, struct error *error);
enum status geometry_emit_ways(struct geometry *geometry, const struct geometry_level *level, struct error *error);
enum status geometry_emit_sharing(struct geometry *geometry, const struct geometry_level *level, struct error *error);
// The last level is memory.
enum status geometry_emit_bandwidth(struct geometry *geometry, const struct geometry_level *level, struct error *error);
// Sets the rates of all levels, which are compared with each other.
enum status geometry_measure_rates(struct geometry *geometry, struct error *error);

// ---- Statements about the TLB ----

enum status geometry_emit_reach(struct geometry *geometry, struct error *error);

#endif
