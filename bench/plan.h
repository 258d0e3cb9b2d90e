// Chooses which points are measured, and for how long each, so that the whole program stays within its budget. A
// point's cost is estimated from the probe's figures and the device's rates, and corrected by the finished points. What
// does not fit is left out, beginning with the values of default sweeps that save most and tell least.
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "bench/probe.h"

struct planned; // a run and its part of the plan

struct plan {
    struct settings *settings;
    struct bench_device *devices;
    struct learned *learned; // of each device
    struct planned *planned;
    size_t count, device_count;
    double deadline_s; // on clock_s
};

// started_s is when the program began. Gives each run the list of devices and removes from its sweeps what does not
// fit. The caller keeps the runs.
enum status plan_make(struct plan *plan, struct settings *settings, struct run *runs, size_t run_count,
                      struct bench_device *devices, size_t device_count, double started_s, struct error *error);
void plan_clear(struct plan *plan);

// Call this before the first point of a run: it plans what is left again, with what was learned.
void plan_begin_run(struct plan *plan, size_t run);

// Says whether there is time for the point, and if so sets in the settings how long it is measured.
bool plan_begin_point(struct plan *plan, size_t run, const struct point *point);
void plan_end_point(struct plan *plan, size_t run);

// How many points are still to be measured, from this run on.
size_t plan_points_left(const struct plan *plan, size_t run);

// Describes what is left out, "cpu read, write: --stride 32,64; cpu copy: 3 points", to be freed; empty if nothing is,
// NULL if memory ran out.
char *plan_left_out(const struct plan *plan);

// How long the program is expected to take from now on, in seconds.
double plan_expected_s(const struct plan *plan);

#endif
