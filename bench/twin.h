// The simulated twin of a measured device. Each measured point also runs on the twin, which supplies the model's
// figures.
#ifndef BENCH_TWIN_H
#define BENCH_TWIN_H

#include <stdbool.h>

#include "bench/probe.h"
#include "util/error.h"

// Leaves the twin closed, without a device, if the model does not know the device, or if there is no simulator.
void twin_open(struct bench_device *twin, const struct bench_device *measured, const struct probe *probe,
               const struct settings *settings);

// Prepares what the twin keeps from point to point of a variant; false if it cannot run the variant.
bool twin_begin(struct bench_device *twin, const struct run *measured, struct run *run);
void twin_end(struct run *run);

// Measures a point, runs it on the twin and writes the measured rows with the model's figures. What cannot be predicted
// stays empty. What was measured is written even if measuring ended early.
// `known` are the point's rows of an earlier round, if there was one, whose predictions hold again.
enum status twin_measure(struct run *run, struct run *twin, const struct point *point, const struct row *known,
                         size_t known_count, struct error *error);

#endif
