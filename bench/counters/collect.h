// One vendor's additional run under its profiler: finds the profiler, runs it, reads its counters and matches them.
#ifndef BENCH_COUNTERS_COLLECT_H
#define BENCH_COUNTERS_COLLECT_H

#include "bench/counters/counters.h"
#include "bench/counters/vendor.h"
#include "bench/progress.h"

struct collection {
    const struct counter_vendor *vendor;
    const struct counters_request *request;
    const char *specs;               // of the vendor's devices, as --device takes them
    const struct progress *progress; // that is shown meanwhile
    unsigned version;                // of an NVIDIA part's architecture; else UINT32_MAX
};

// False if counting is denied, which standard error then says. A fault leaves the log empty.
bool collect(const struct collection *collection, struct launch_log *log, struct error *fault);

#endif
