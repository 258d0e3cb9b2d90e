// Which points are measured, and for how long each, so that the whole program keeps within its budget. What points cost
// follows from the probe's own word and the device's rates, and is learned as they are done. What does not fit is left
// out: values of default sweeps first, those that save most and say least.
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

// started_s: when the program began. Tells each run all devices, and leaves out of its sweeps what does not fit. The
// runs stay the caller's.
enum status plan_make(struct plan *plan, struct settings *settings, struct run *runs, size_t run_count,
                      struct bench_device *devices, size_t device_count, double started_s, struct error *error);
void plan_clear(struct plan *plan);

// Before the first point of a run: plans what is left once more, by what was learned.
void plan_begin_run(struct plan *plan, size_t run);

// Whether there is time for the point; then the settings say for how long it is measured.
bool plan_begin_point(struct plan *plan, size_t run, const struct point *point);
void plan_end_point(struct plan *plan, size_t run);

// What does not fit, "cpu read, write: --stride 32,64; cpu copy: 3 points", to be freed; empty where nothing is left
// out, NULL where memory is short.
char *plan_left_out(const struct plan *plan);

// How long the program is expected to take from now on, in seconds.
double plan_expected_s(const struct plan *plan);

#endif
