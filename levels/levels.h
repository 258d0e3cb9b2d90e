// What levels' parts share: the parameters, and what a variant is.
#ifndef LEVELS_LEVELS_H
#define LEVELS_LEVELS_H

#include "bench/probe.h"
#include "levels/chase.h"

enum levels_parameter {
    LEVELS_FOOTPRINT,
    LEVELS_LINE,
    LEVELS_PAGE
};

// What a variant is, beside its name.
struct levels_detail {
    enum status (*check)(const struct run *run, const struct point *point, struct error *error);
    bool (*skip)(const struct run *run, const struct point *point);
    enum status (*measure)(struct run *run, const struct point *point, struct error *error);
    void (*finish)(struct run *run); // releases what measure kept in run->state
    const char *columns;             // of its own table
    const void *own;                 // struct levels_latency, ...
};

static inline const struct device_info *levels_info(const struct run *run) {
    return &run->bench_device->device->info;
}

// ---- latency.c ----

struct levels_latency {
    struct chase_kernel kernel;
    const char *op; // as the column names it
};

enum status levels_check_latency(const struct run *run, const struct point *point, struct error *error);
bool levels_skip_latency(const struct run *run, const struct point *point);
enum status levels_measure_latency(struct run *run, const struct point *point, struct error *error);
void levels_finish_latency(struct run *run);

#endif
