// Data that the sources of the plan share.
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

// ---- plan_cost.c ----

struct learned *plan_learned(const struct plan *plan, const struct planned *planned);
struct point_time plan_point_time(const struct plan *plan, const struct planned *planned, const struct point *point);

// Sums up the estimates of a run's points.
void plan_sum(const struct plan *plan, struct planned *planned);

// The time that the rest of a run is expected to take if each measurement gets row_s or, where that is 0, the least.
double plan_run_s(const struct plan *plan, const struct planned *planned, double row_s);

double plan_factor(const struct plan *plan, const struct planned *planned); // actual over estimated
double plan_use(const struct plan *plan, const struct planned *planned);    // used over given
double plan_least_row_s(const struct plan *plan, const struct planned *planned);

// Restores the sweeps of the runs from `first` on, then leaves out what does not fit into left_s.
void plan_thin(struct plan *plan, size_t first, double left_s);

size_t plan_headline_index(const struct planned *planned, size_t parameter);

#endif
