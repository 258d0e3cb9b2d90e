// --counters adds the vendor's counters to each row. Before anything is measured the program runs once more under the
// vendor's profiler and launches the kernel of each point once (counting.h). The counts are kept and go into the rows
// as they are measured (docs/method.md).
#ifndef BENCH_COUNTERS_COUNTERS_H
#define BENCH_COUNTERS_COUNTERS_H

#include "bench/counters/collect.h"
#include "util/options.h"

enum {
    COUNTER_VENDORS = 2
};

struct counters {
    bool wanted;
    bool denied[COUNTER_VENDORS];
    struct launch_log logs[COUNTER_VENDORS];
    uint64_t agree, differ, left_out; // numbers of rows; left_out were not reached in time
    struct error fault;               // of a profiler; the rows are still measured
};

// Makes the additional runs. Refuses devices without counters, and input that cannot be read twice (STATUS_USAGE). If
// counting is denied, a line on standard error says so and how to allow it; another fault is kept for the end.
enum status counters_collect(struct counters *counters, const struct counters_request *request,
                             const struct option_table *options, size_t count, struct error *error);

// Fills the row's columns. again: the row was measured before, so it is not counted in the summary.
void counters_fill(struct counters *counters, struct row *row, bool again);

// Prints on standard error how many rows agree; STATUS_FAILED if a profiler failed.
enum status counters_conclude(const struct counters *counters, const char *program, struct error *error);

void counters_clear(struct counters *counters);

#endif
