// Measures how long a piece of work takes, with as many samples as the noise requires (docs/method.md).
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/bench_device.h"
#include "bench/row.h"
#include "bench/settings.h"
#include "util/statistics.h"

// The measured work: one call of enqueue starts one round on the device and does not wait for it.
struct work {
    enum status (*enqueue)(void *context, struct error *error);
    void *context;
};

struct measurement {
    uint64_t samples;          // 0: predicted
    struct statistics time_ns; // of one round
    double clock_mhz;          // median over the samples; NaN: unknown
    double waited_pct; // CPU: time that threads waited for a processor, over the time of the samples; NaN: unknown
    double bound_ns;   // of one round, predicted; NaN: measured
    enum resource bound_by;
    unsigned verdicts; // VERDICT_NOISY, VERDICT_THROTTLED
};

// One that knows nothing yet.
struct measurement measurement_empty(void);

// On a predicted device the work runs once and its time is the model's.
enum status measure(struct bench_device *bench_device, const struct settings *settings, const struct work *work,
                    struct measurement *measurement, struct error *error);

// The same, and runs `reference` before each sample and after the last, outside of their time. A measurement by the
// reference sees the same clock as the work, so that the two can be compared. The reference may be NULL, and does not
// run on a predicted device.
enum status measure_beside(struct bench_device *bench_device, const struct settings *settings, const struct work *work,
                           const struct work *reference, struct measurement *measurement, struct error *error);

// Writes the measurement's columns.
void row_set_time(struct row *row, const struct measurement *measurement);

#endif
