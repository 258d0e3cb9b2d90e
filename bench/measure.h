// The samples of one row.
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/bench_device.h"
#include "bench/energy.h"
#include "bench/row.h"
#include "bench/settings.h"
#include "util/error.h"
#include "util/statistics.h"

// ---- Time in which the thread waited for a processor ----

// The time in which this process did not run although it had something to do: other programs had its processors, or a
// signal had stopped it.

struct processor_loss {
    double ran_ns;     // the longest that one thread ran
    double waited_ns;  // the longest that one thread was ready to run but waited for a processor
    double blocked_ns; // in which even the busiest thread slept or was stopped
};

// ---- Series ----

// The samples of one measurement, and what they say together. Rounds of measuring add samples to a series.

struct sample {
    double round_ns;            // of one round of the work
    double sample_ns;           // of the whole sample
    double clock_mhz;           // right after it; NaN: unknown
    bool throttled;             // the clock was too low
    struct processor_loss loss; // in the sample
    double waited_before_ns;    // for a processor, since the sample before: the caches are others' then
};

struct series {
    struct sample *samples; // in the order in which they were taken
    size_t count;
    size_t throttled; // of these
    size_t good;      // neither throttled nor delayed by a wait for a processor
    uint64_t batch;   // rounds of a sample
    // How often a round repeats the work, where the probe chose that by time when it prepared the point for the first
    // time; 0: not yet. It must stay the same, because samples of different work have no common median.
    uint64_t repeats;
    struct energy energy;
};

// The series of one point: its first measurement's, its second's, and so on.
struct series_list {
    struct series *series;
    size_t count;
    size_t next; // the series of the measurement that comes next in this round
};

void series_add(struct series *series, const struct sample *sample);
void series_clear(struct series *series);

// The series of the next measurement, which is empty in the first round. It stays where it is until the next call.
struct series *series_list_next(struct series_list *list);
// The same series before its measurement.
struct series *series_list_coming(struct series_list *list);
void series_list_clear(struct series_list *list);
size_t series_list_samples(const struct series_list *list); // of all series together

// ---- Measurement ----

// Measures how long a piece of work takes, with as many samples as the noise requires (docs/method.md).

// The measured work: one call of enqueue starts one round on the device and does not wait for it.
struct work {
    enum status (*enqueue)(void *context, struct error *error);
    void *context;
};

// The outcome of checking a result.
enum verification {
    VERIFICATION_FAILED,
    VERIFICATION_PASSED,
    VERIFICATION_NONE,    // there is no result to check
    VERIFICATION_LEFT_OUT // there is one, but it was not checked
};

static inline enum verification verification_of(bool right) {
    return right ? VERIFICATION_PASSED : VERIFICATION_FAILED;
}

struct measurement {
    uint64_t samples;            // 0: predicted
    struct statistics time_ns;   // of one round
    double clock_mhz;            // median over the samples; NaN: unknown
    uint64_t dropped;            // further samples, which were throttled or in which threads did not run
    double waited_pct;           // CPU: time in which a thread did not run, over the time of the samples; NaN: unknown
    struct energy energy;        // of its own run, if --energy asks for one
    struct prediction predicted; // of one round, on a device that predicts; ns is NaN: measured
    unsigned verdicts;           // those that the samples tell
    enum verification verification; // of the work's result, as its caller knows it; at first there is none
};

// One that knows nothing yet.
struct measurement measurement_empty(void);

// What the samples say: how many are used, and their times, clock and waits, with VERDICT_THROTTLED if most were
// throttled. Uses the good samples. If most were throttled, these are good, too. If threads waited in nearly all of
// them, all are used, without the time in which threads waited. `wanted` is how many samples the user asked for, or 0:
// if fewer are good, that many are used, those in which threads waited least. The series must have a sample.
struct measurement series_summarize(const struct series *series, size_t wanted);

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
