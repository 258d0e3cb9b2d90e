// Measures how long a piece of work takes, with as many samples as the noise requires (docs/method.md).
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/bench_device.h"
#include "bench/energy.h"
#include "bench/row.h"
#include "bench/settings.h"
#include "util/statistics.h"

// The measured work: one call of enqueue starts one round on the device and does not wait for it.
struct work {
    enum status (*enqueue)(void *context, struct error *error);
    void *context;
};

struct measurement {
    uint64_t samples;            // 0: predicted
    struct statistics time_ns;   // of one round
    double clock_mhz;            // median over the samples; NaN: unknown
    uint64_t dropped;            // further samples, which were throttled or in which threads did not run
    double waited_pct;           // CPU: time in which a thread did not run, over the time of the samples; NaN: unknown
    struct energy energy;        // of its own run, if --energy asks for one
    struct prediction predicted; // of one round, on a device that predicts; ns is NaN: measured
    unsigned verdicts;           // those that the samples tell
};

// One that knows nothing yet.
struct measurement measurement_empty(void);

// On a device that predicts the work runs once, and the prediction stands for its time, too.
// Samples are added to those of the point's earlier rounds, so a point must make the same measurements in each round,
// in the same order.
enum status measure(struct bench_device *bench_device, const struct settings *settings, const struct work *work,
                    struct measurement *measurement, struct error *error);

// The same, and runs `reference` before each sample and after the last, outside of their time. A measurement by the
// reference sees the same clock as the work, so that the two can be compared. The reference may be NULL, and does not
// run on a predicted device.
enum status measure_beside(struct bench_device *bench_device, const struct settings *settings, const struct work *work,
                           const struct work *reference, struct measurement *measurement, struct error *error);

// The settings for a measurement that not every round of a point makes.
struct settings measure_aside(const struct settings *settings);

// Writes the measurement's columns.
void row_set_time(struct row *row, const struct measurement *measurement);

#endif
