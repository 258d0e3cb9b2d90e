// Runs this program once more under a profiler.
#ifndef BENCH_COUNTERS_PROFILER_H
#define BENCH_COUNTERS_PROFILER_H

#include <limits.h>
#include <stdbool.h>

#include "bench/counters/vendor.h"

// Finds the profiler: named by the environment, on the PATH, or in the vendor's folders; false if there is none.
bool profiler_find(const struct counter_vendor *vendor, char path[PATH_MAX]);

// A command to run, with its output in profile->log. It is killed if neither profile->log nor the file `launches` has
// grown for silent_s seconds.
struct profiler_run {
    char *const *command; // ends with NULL
    const char *log, *launches;
    double silent_s;
};

// STATUS_FAILED if it cannot be started, fails, or is silent for too long; the error says which.
enum status profiler_run(const struct profiler_run *run, struct error *error);

#endif
