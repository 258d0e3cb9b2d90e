// What levels' parts share: the parameters, and what a variant is.
#ifndef LEVELS_LEVELS_H
#define LEVELS_LEVELS_H

#include "bench/probe.h"
#include "levels/caches.h"
#include "levels/chase.h"
#include "levels/dram.h"
#include "levels/stream.h"

enum levels_parameter {
    LEVELS_FOOTPRINT,
    LEVELS_LINE,
    LEVELS_PAGE,
    LEVELS_ELEMENTS,
    LEVELS_WARPS,
    LEVELS_LOADS,
    LEVELS_TRAFFIC,
    LEVELS_WRITES,
    LEVELS_FETCH
};

// The options of levels alone, and what they ask for.
struct levels_session {
    bool emit_gpu;
    char *row; // of model/gpus.c; NULL: none was made
};

// run->state: what a variant keeps from point to point.
union levels_state {
    struct chase chase;
    struct dram dram;
};

// What a variant is, beside its name.
struct levels_detail {
    enum status (*check)(const struct run *run, const struct point *point, struct error *error);
    bool (*skip)(const struct run *run, const struct point *point);
    enum status (*measure)(struct run *run, const struct point *point, struct error *error);
    void (*cost)(const struct run *run, const struct point *point, struct point_cost *cost); // NULL: hardly any
    void (*finish)(struct run *run); // releases what measure kept in run->state
    const char *columns;             // of its own table
    const void *own;                 // struct levels_latency, ...
};

static inline const struct device_info *levels_info(const struct run *run) {
    return &run->bench_device->device->info;
}

// The columns that a measurement fills. A bandwidth is held against the memory's peak only where the level is memory.
void levels_finish_row(struct row *row, const struct measurement *measurement, double useful_bytes,
                       enum verification verification);

// ---- loaded.c ----

enum status levels_check_loaded(const struct run *run, const struct point *point, struct error *error);
enum status levels_measure_loaded(struct run *run, const struct point *point, struct error *error);

// ---- partitions.c ----

enum status levels_check_partitions(const struct run *run, const struct point *point, struct error *error);
enum status levels_measure_partitions(struct run *run, const struct point *point, struct error *error);

// ---- geometry_measure.c ----

void levels_cost_geometry(const struct run *run, const struct point *point, struct point_cost *cost);
enum status levels_measure_geometry(struct run *run, const struct point *point, struct error *error);

// ---- latency.c ----

// As it is given, else the part's, else a usual one.
uint64_t levels_line_bytes(const struct run *run, const struct point *point);

// Which caches an access may find its line in, on a GPU. The CPU's accesses all go the same way.
enum levels_path {
    PATH_LOADS,   // all of them
    PATH_MEMORY,  // those that belong to the memory: atomics are carried out there, past L1 and copies
    PATH_L2,      // it answers all of them: a store waits for no line
    PATH_UNKNOWN, // caches of its own, which nobody documents
};

struct levels_latency {
    struct chase_kernel kernel;
    const char *op; // as the column names it
    bool staggered; // elements a page apart stand in different sets of the caches
    enum levels_path path;
    bool small_pages; // the CPU's memory in its least pages
};

enum status levels_check_latency(const struct run *run, const struct point *point, struct error *error);
bool levels_skip_latency(const struct run *run, const struct point *point);
void levels_cost_latency(const struct run *run, const struct point *point, struct point_cost *cost);
enum status levels_measure_latency(struct run *run, const struct point *point, struct error *error);
void levels_finish_latency(struct run *run);

// ---- limit.c ----

// No memory hierarchy gives more, in GB/s: the units' own caches so many bytes a clock, a shared one what it is known
// for (0: nothing is), and memory must give its share at its peak (NaN: not known).
struct levels_limit {
    double units_gb_s, shared_gb_s, memory_gb_s;
};

double levels_most_gb_s(const struct levels_limit *limit, const struct answer *answer, bool shared);
// What the row's bandwidth says against it, where it is no level's alone.
unsigned levels_mixed_verdicts(const struct row *row, const struct device_info *info, const struct answer *answer,
                               bool shared);

// ---- bandwidth.c ----

struct levels_stream {
    enum stream_operation operation;
    bool own;       // each unit has a footprint of its own
    bool in_flight; // shaped by the warps and loads that are to be under way
};

enum status levels_check_stream(const struct run *run, const struct point *point, struct error *error);
bool levels_skip_stream(const struct run *run, const struct point *point);
bool levels_skip_in_flight(const struct run *run, const struct point *point);
void levels_cost_stream(const struct run *run, const struct point *point, struct point_cost *cost);
enum status levels_measure_stream(struct run *run, const struct point *point, struct error *error);

#endif
