// Which launch a profiler's counters are of.
#ifndef BENCH_COUNTERS_MATCH_H
#define BENCH_COUNTERS_MATCH_H

#include "bench/counters/vendor.h"

// Adds the values of what the profiler counted to the launches of the log, in order; STATUS_FAILED where it counted
// others than were made.
enum status match_launches(const struct counter_vendor *vendor, const struct launch_list *counted,
                           struct launch_log *log, struct error *error);

// The launch that a row is about: the last one of its grid and block before it was written; where the row has neither,
// the only one of its work. NULL: it has none.
const struct counted_launch *match_row(struct launch_log *log, const struct row *row);

// What the counters say of the model's counts: "agrees", "differs", or empty where there is nothing to compare.
const char *match_verdict(const struct row *row);

#endif
