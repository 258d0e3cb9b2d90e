// A measured device's simulated twin: the same part, on which each point is run once more for the model's figures,
// after it was measured.
#ifndef BENCH_TWIN_H
#define BENCH_TWIN_H

#include "bench/probe.h"

struct twin {
    struct bench_device bench_device; // its device is NULL where the part has no twin
};

// Leaves it closed where the part is not known, or cannot be simulated here.
void twin_open(struct twin *twin, const struct bench_device *measured, const struct probe *probe,
               const struct settings *settings);
void twin_close(struct twin *twin);

// What the twin keeps from point to point of a variant; false: it cannot run it.
bool twin_begin(struct twin *twin, const struct run *measured, struct run *run);
void twin_end(struct run *run);

// Measures a point; then runs it on the twin and writes the measured rows with what the model says of them. What cannot
// be predicted stays empty; what was measured is written even where measuring ended early.
enum status twin_measure(struct run *run, struct run *twin, const struct point *point, struct error *error);

#endif
