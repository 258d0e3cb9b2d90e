// One vendor's additional run under its profiler: finds the profiler, runs it, reads its counters and matches them.
#ifndef BENCH_COUNTERS_COLLECT_H
#define BENCH_COUNTERS_COLLECT_H

#include "bench/bench_device.h"
#include "bench/counters/launches.h"
#include "bench/counters/vendor.h"
#include "bench/progress.h"

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

struct collection {
    const struct counter_vendor *vendor;
    const struct counters_request *request;
    const char *specs;               // of the vendor's devices, as --device takes them
    const struct progress *progress; // shown meanwhile
    unsigned version;                // of an NVIDIA device's architecture; otherwise UINT32_MAX
};

// Returns false if counting is denied, after a message on standard error. A fault leaves the log empty.
bool collect(const struct collection *collection, struct launch_log *log, struct error *fault);

#endif
