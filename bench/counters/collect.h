// One vendor's further run: found, made, read and matched.
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

// False where counting is denied, which is said on standard error. A fault leaves the log empty.
bool collect(const struct collection *collection, struct launch_log *log, struct error *fault);

#endif
