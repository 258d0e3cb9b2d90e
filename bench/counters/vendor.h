// A vendor's profiler: how it is found and called, what it prints, and what its counters say of a row.
#ifndef BENCH_COUNTERS_VENDOR_H
#define BENCH_COUNTERS_VENDOR_H

#include <stdbool.h>

#include "bench/counters/launches.h"
#include "bench/row.h"
#include "device/device.h"

enum {
    PROFILER_OPTIONS_MAX = 48
};

struct profiler_options {
    const char *option[PROFILER_OPTIONS_MAX];
    size_t count;
    char words[256]; // the text of some of them
};

// Where a run under the profiler leaves what it says.
struct profile {
    const char *folder;  // of its own
    const char *log;     // what the profiler and the program print
    const char *metrics; // the group that is counted, separated by commas
};

struct counter_vendor {
    enum backend_kind backend;
    const char *profiler;        // the program: "ncu"
    const char *variable;        // of the environment, which names another one
    const char *const *folders;  // where it may be besides the PATH; shell wildcards; NULL at the end
    const char *missing;         // what to do where it is not there
    const char *denied;          // what to do where it may not count
    const char *const *refusals; // words by which it says that it may not; NULL at the end
    const char *const *groups;   // of metrics, by name, separated by commas; a run each; NULL at the end
    bool counts_all;             // the profiler counts every launch, also those that are not wanted

    // Writes the profiler's own options.
    void (*options)(const struct profile *profile, struct profiler_options *options);
    // Adds what was printed of each launch: of metric i of all groups together the value i.
    enum status (*read)(const struct profile *profile, size_t first_metric, struct launch_list *list,
                        struct error *error);
    // Fills the row's counted columns.
    void (*fill)(const struct counted_launch *launch, struct row *row);
};

extern const struct counter_vendor nvidia_counters, amd_counters;

// The index of the name in a list "a,b,c"; negative if it is not there.
int metric_number(const char *metrics, const char *name);
size_t metric_count(const char *metrics);

// Whether a row is about loads, stores or both, which may be counted separately. For shared memory `op` says so, which
// smem sets; for global memory the model's counts do.
bool row_counts_loads(const struct row *row);
bool row_counts_stores(const struct row *row);

#endif
