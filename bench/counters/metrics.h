// Names of metrics, and which of them a row is about.
#ifndef BENCH_COUNTERS_METRICS_H
#define BENCH_COUNTERS_METRICS_H

#include "bench/row.h"
#include <stdbool.h>
#include <stddef.h>

// The index of the name in a list "a,b,c"; negative if it is not there.
int metric_number(const char *metrics, const char *name);
size_t metric_count(const char *metrics);

// Whether a row is about loads, stores or both, which may be counted separately. For shared memory `op` says so, which
// smem sets; for global memory the model's counts do.
bool row_counts_loads(const struct row *row);
bool row_counts_stores(const struct row *row);

#endif
