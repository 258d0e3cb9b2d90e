// What the parts of the plan share.
#ifndef BENCH_PLAN_INSIDE_H
#define BENCH_PLAN_INSIDE_H

#include "bench/plan.h"

// Of a device: what points cost beside their measurements, and what measurements take of the time that they are given.
struct learned {
    double estimated_s, actual_s;
    double given_s, used_s;
};

// Of one point, by the device's rates: beside its measurement, and what that takes beyond the least.
struct point_time {
    double prepare_s, long_s;
};

struct planned {
    struct run *run;
    struct sweep whole[PARAMETERS_MAX]; // of run->sweeps, before anything was left out
    double *share_s[PARAMETERS_MAX];    // of prepare_s, by each value of run->sweeps
    double make_s;                      // before the first point
    double prepare_s;                   // beside measurements, of all points
    double long_s;                      // of measurements, what long rounds take beyond the least
    struct point_time headline;         // of the one point that stands for the run
    uint64_t headline_values[PARAMETERS_MAX];
    size_t points;
    double until_s;            // when it must end, on clock_s
    double fair_until_s;       // when it would end if every run took its part
    size_t done, dropped;      // dropped: there was no time for them while it ran
    double begun_s, sampled_s; // when the point under way began
    double given_s;            // for its measurement
    struct point_time now;     // expected of it
    struct point_time spent;   // of prepare_s and long_s, by the points so far
};

static inline const struct device_info *plan_device_info(const struct planned *planned) {
    return &planned->run->bench_device->device->info;
}

// ---- plan_cost.c ----

struct learned *plan_learned(const struct plan *plan, const struct planned *planned);
struct point_time plan_point_time(const struct plan *plan, const struct planned *planned, const struct point *point);

// Fills the sums of a run's points.
void plan_sum(const struct plan *plan, struct planned *planned);

// What is left of a run is expected to take so long, a measurement being given row_s or, where it is 0, the least.
double plan_run_s(const struct plan *plan, const struct planned *planned, double row_s);

double plan_factor(const struct plan *plan, const struct planned *planned); // actual over estimated
double plan_use(const struct plan *plan, const struct planned *planned);    // used over given
double plan_least_row_s(const struct plan *plan, const struct planned *planned);

// Restores the sweeps from the run on and leaves out what does not fit into left_s.
void plan_thin(struct plan *plan, size_t first, double left_s);

size_t plan_headline_index(const struct planned *planned, size_t parameter);

#endif
