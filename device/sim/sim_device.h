// The state of a simulated device, which its operations (sim.c) and launches (launch.c) share.
#ifndef DEVICE_SIM_SIM_DEVICE_H
#define DEVICE_SIM_SIM_DEVICE_H

#include "device/sim/cache/caches.h"
#include "device/sim/compile/kernel.h"
#include "device/sim/parallel/threads.h"
#include "device/sim/progress.h"
#include "device/sim/race.h"
#include "device/sim/sample.h"

// The predicted time since the device was opened.
struct sim_clock {
    double predicted_ns;
    double bound_ns[RESOURCES]; // by the resource that bounds each launch
};

struct sim_device {
    struct device device; // must be first: sim_of casts from struct device *
    struct sim_memory memory;
    struct sim_race race;
    struct sim_caches caches;
    struct sim_compiler compiler;
    struct sim_compiled *compiled;
    struct sim_clock clock;
    struct launch_counts counts;
    const struct sim_compiled *counted; // the file whose kernel was counted; NULL before the first launch
    double time_limit_s;                // of one launch, in real time; 0: no limit
    struct sim_threads threads;         // that a launch may use
    enum sim_progress_form progress;    // where it is to be shown
    struct sim_sample sample;           // of the last launch or choice of blocks
};

static inline struct sim_device *sim_of(struct device *device) {
    return (struct sim_device *)device;
}

#endif
