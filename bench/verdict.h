// How far a row's figures can be trusted.
#ifndef BENCH_VERDICT_H
#define BENCH_VERDICT_H

#include "bench/row.h"

enum verdict {
    VERDICT_OK = 0,
    VERDICT_NOISY = 1,          // the noise stayed above the bound
    VERDICT_THROTTLED = 2,      // most samples ran below 75 % of the expected clock
    VERDICT_ABOVE_PEAK = 4,     // faster than the memory can be: not a memory bandwidth
    VERDICT_CACHE_RESIDENT = 8, // the data fit into the last-level cache
    VERDICT_UNVERIFIED = 16,    // the result is wrong or was not checked
};

// "ok", or the names joined by '+'.
void verdict_format(char to[ROW_TEXT], unsigned verdicts);

#endif
