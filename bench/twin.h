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

// Runs a point on the twin; there are no rows if it cannot be predicted.
void twin_predict(struct run *twin, const struct point *point, struct row_list *predicted);

// Adds the model's figures to measured rows. What was not predicted stays empty.
void twin_add(struct row *measured, size_t measured_count, const struct row *predicted, size_t predicted_count);

// Measures a point and writes its rows with the model's figures, even if measuring ended early. The figures are those
// of `known`, the point's rows of an earlier round, or if there are none those of the twin; NULL: somebody else
// predicts the point.
enum status twin_measure(struct run *run, struct run *twin, const struct point *point, const struct row *known,
                         size_t known_count, struct error *error);

#endif
