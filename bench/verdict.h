// How far a row's figures can be trusted.
#ifndef BENCH_VERDICT_H
#define BENCH_VERDICT_H

#include "bench/row.h"
#include "util/statistics.h"

enum verdict {
    VERDICT_OK = 0,
    VERDICT_NOISY = 1,          // the interval of the median is wider than --noise, or there is none
    VERDICT_THROTTLED = 2,      // most samples ran below 75 % of the expected clock
    VERDICT_ABOVE_PEAK = 4,     // faster than the memory can be: not a memory bandwidth
    VERDICT_CACHE_RESIDENT = 8, // the data fit into the last-level cache
    VERDICT_UNVERIFIED = 16,    // the result is wrong or was not checked
    VERDICT_WAITED = 64,        // a thread did not run for more than VERDICT_WAITED_PCT of the time
    VERDICT_DRIFTING = 32,      // the time changed in the course of the samples, by more than --noise
};

static const double VERDICT_WAITED_PCT = 2;

// VERDICT_NOISY and VERDICT_DRIFTING, as the samples say.
unsigned verdicts_of_time(const struct statistics *time_ns, double noise_pct);

// "ok", or the names joined by '+'.
void verdict_format(char to[ROW_TEXT], unsigned verdicts);

#endif
