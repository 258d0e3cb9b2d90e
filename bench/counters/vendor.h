// A vendor's profiler: how it is found and called, what it prints, and how its counters fill a row.
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
    char words[256]; // buffer for some of them
};

// The files of a run under the profiler.
struct profile {
    const char *folder;  // of this run
    const char *log;     // output of the profiler and of the program
    const char *metrics; // the counted group, separated by commas
    bool warm;           // launches find the caches as the ones before left them
};

struct counter_vendor {
    enum backend_kind backend;
    const char *profiler;        // name of the program: "ncu"
    const char *variable;        // environment variable that names another program
    const char *const *folders;  // searched after the PATH; shell wildcards; NULL at the end
    const char *missing;         // advice if it is not found
    const char *denied;          // advice if it may not count
    const char *const *refusals; // words of its refusals; NULL at the end
    const char *const *groups;   // of metrics, separated by commas; one run per group; NULL at the end
    // The same for warm caches, which a profiler that launches a kernel again would change. NULL: the groups above.
    const char *const *warm_groups;
    bool counts_all; // the profiler counts every launch, even those not needed

    // Appends the profiler's options.
    void (*options)(const struct profile *profile, struct profiler_options *options);
    // Adds the printed counts of each launch; metric i over all groups is value i.
    enum status (*read)(const struct profile *profile, size_t first_metric, struct launch_list *list,
                        struct error *error);
    // Fills the row's counted columns.
    void (*fill)(const struct counted_launch *launch, struct row *row);
};

extern const struct counter_vendor nvidia_counters, amd_counters;

#endif
