// Finds the launch that a profiler's counters belong to.
#ifndef BENCH_COUNTERS_MATCH_H
#define BENCH_COUNTERS_MATCH_H

#include "bench/counters/vendor.h"

// Adds the values that the profiler counted to the launches of the log, in order; STATUS_FAILED if the profiler counted
// different launches.
enum status match_launches(const struct counter_vendor *vendor, const struct launch_list *counted,
                           struct launch_log *log, struct error *error);

// The launch that a row describes: the last one of its grid and block before the row or, if the row has neither, the
// only launch of its window. NULL if there is none. *left_out says whether the additional run did not reach the row.
const struct counted_launch *match_row(struct launch_log *log, const struct row *row, bool *left_out);

// Whether the counters confirm the model's counts: "agrees", "differs", or empty if there is nothing to compare.
const char *match_verdict(const struct row *row);

#endif
