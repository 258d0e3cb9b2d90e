// The state of a simulated device, which its operations (sim.c) and launches (launch.c) share.
#ifndef SIM_SIM_DEVICE_H
#define SIM_SIM_DEVICE_H

#include "device/device.h"
#include "model/time/walk.h"
#include "sim/compile/kernel.h"
#include "sim/compile/via.h"
#include "sim/count.h"
#include "sim/launch_state.h"
#include "sim/requests.h"
#include "sim/traffic.h"

struct sim_remap;

// The sum of what was predicted since predict_begin.
struct sim_predicted {
    double ns;
    double copies_ns; // of that time
    uint64_t launches, fills;
    double bound_ns[RESOURCES]; // by the resource that bounds each launch
};

struct sim_device {
    struct device device;  // must be first: sim_of casts from struct device *
    struct gpu_part *made; // the part if it is no row of the table of GPUs, else NULL
    struct sim_memory memory;
    struct sim_race race;
    struct sim_caches caches;
    struct sim_compiler compiler;
    struct sim_via via;
    struct sim_compiled *compiled;
    struct sim_predicted predicted;
    struct launch_counts counts;
    const struct sim_compiled *counted; // the file whose kernel was counted; NULL before the first launch
    const struct sim_entry *counted_entry;
    struct sim_recording *recording; // of requests; NULL: there is none
    const struct sim_remap *remap;   // NULL: none
    double time_limit_s;             // of one launch, in real time; 0: no limit
    enum sim_progress_form progress; // where it is to be shown
    struct walked walked;            // the last walk of a launch
    struct sim_sample sample;        // of the last launch or choice of blocks
};

static inline struct sim_device *sim_of(struct device *device) {
    return (struct sim_device *)device;
}

#endif
