// The samples of one measurement, and what they say together. Rounds of measuring add samples to a series.
#ifndef BENCH_SERIES_H
#define BENCH_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/energy.h"
#include "util/error.h"
#include "util/processor_wait.h"
#include "util/statistics.h"

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
    struct energy energy;
};

// The series of one point: its first measurement's, its second's, and so on.
struct series_list {
    struct series *series;
    size_t count;
    size_t next; // the series of the measurement that comes next in this round
};

struct series_summary {
    size_t used, dropped;      // samples that the figures stand on, and samples that were disturbed
    struct statistics time_ns; // of one round
    double clock_mhz;          // median
    double waited_pct;         // of the used samples' time, in which a thread did not run
    bool throttled;            // most samples were, so they are used after all
};

void series_add(struct series *series, const struct sample *sample);
void series_clear(struct series *series);

// The series of the next measurement, which is empty in the first round. It stays where it is until the next call.
struct series *series_list_next(struct series_list *list);
void series_list_clear(struct series_list *list);
size_t series_list_samples(const struct series_list *list); // of all series together

// Whether a thread waited, before or in the sample, for so long that its time is wrong.
bool sample_waited(const struct sample *sample);

// Uses the good samples. If most were throttled, these are good, too. If threads waited in nearly all of them, all are
// used, without the time in which threads waited. `wanted` is how many samples the user asked for, or 0: if fewer are
// good, that many are used, those in which threads waited least. The series must have a sample.
struct series_summary series_summarize(const struct series *series, size_t wanted);

#endif
