// Data that the sources of the plan share. plan.h describes what others may call.
#ifndef BENCH_PLAN_INSIDE_H
#define BENCH_PLAN_INSIDE_H

#include "bench/plan.h"

// Totals over the points that a device has done: preparation as estimated and as it was, and the time that measurements
// were given and used.
struct learned {
    double estimated_s, actual_s;
    double given_s, used_s;
};

// The estimate for one point: its preparation, and what its rounds take beyond the shortest measurement.
struct point_time {
    double prepare_s, long_s;
};

struct planned {
    struct run *run;
    struct sweep whole[PARAMETERS_MAX]; // of run->sweeps, before anything was left out
    double *share_s[PARAMETERS_MAX];    // time of all points with each value of run->sweeps
    double make_s;                      // to allocate and fill memory before the first point
    double prepare_s;                   // preparation of all points
    double long_s;                      // what long rounds of all points take beyond the shortest measurement
    struct point_time headline;         // of the one point that stands for the run
    uint64_t headline_values[PARAMETERS_MAX];
    size_t points;
    double until_s;            // when it must end, on clock_s
    double fair_until_s;       // when it would end if every run took its share
    size_t done, dropped;      // points measured, and points left out because time ran short
    double begun_s, sampled_s; // when the current point began, and the device's sampled_s then
    double given_s;            // for the current point's measurement
    struct point_time now;     // estimate for the current point
    struct point_time spent;   // parts of prepare_s and long_s that belong to the points so far
};

static inline const struct device_info *plan_device_info(const struct planned *planned) {
    return &planned->run->bench_device->device->info;
}

// The run's points that are still to be measured.
static inline size_t planned_points_left(const struct planned *planned) {
    return planned->points - planned->done - planned->dropped;
}

#endif
