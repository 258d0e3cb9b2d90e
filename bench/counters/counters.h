// Finds the launch that a profiler's counters belong to.
#ifndef BENCH_COUNTERS_COUNTERS_H
#define BENCH_COUNTERS_COUNTERS_H

#include "bench/bench_device.h"
#include "bench/counters/launches.h"
#include "bench/counters/vendor.h"
#include "bench/row.h"
#include "device/device.h"
#include "util/options.h"
#include "util/terminal.h"

// Adds the values that the profiler counted to the launches of the log, in order; STATUS_FAILED if the profiler counted
// different launches.
enum status match_launches(const struct counter_vendor *vendor, const struct launch_list *counted,
                           struct launch_log *log, struct error *error);

// The launch that a row describes: the last one of its grid and block before the row or, if the row has neither, the
// only launch of its window. NULL if there is none. *left_out says whether the additional run did not reach the row.
const struct counted_launch *match_row(struct launch_log *log, const struct row *row, bool *left_out);

// Whether the counters confirm the model's counts: "agrees", "differs", or empty if there is nothing to compare.
const char *match_verdict(const struct row *row);

// ---- The additional run ----

// One vendor's additional run under its profiler: finds the profiler, runs it, reads its counters and matches them.

// Input of the additional run.
struct counters_request {
    const char *program; // for messages
    int argc;
    char **argv;
    const struct bench_device *devices;
    size_t device_count;
    const struct settings *settings;
    bool warm; // launches find the caches as the ones before left them
};

// --counters adds the vendor's counters to each row. Before anything is measured the program runs once more under the
// vendor's profiler and launches the kernel of each point once. The counts are kept and go into the rows
// as they are measured (docs/method.md).

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
