// The state of a simulated device, which its operations (sim.c) and launches (launch.c) share.
#ifndef SIM_SIM_DEVICE_H
#define SIM_SIM_DEVICE_H

#include "device/device.h"
#include "model/layout.h"
#include "model/time/walk.h"
#include "sim/compile/kernel.h"
#include "sim/launch_state.h"
#include "sim/parallel/threads.h"
#include "sim/race.h"
#include "sim/traffic.h"

// The sum of what was predicted since predict_begin.
struct sim_predicted {
    double ns;
    double copies_ns; // of that time
    uint64_t launches, fills;
    double bound_ns[RESOURCES]; // by the resource that bounds each launch
};

struct sim_remap;

struct sim_device {
    struct device device;  // must be first: sim_of casts from struct device *
    struct gpu_part *made; // the part if it is no row of the table of GPUs, else NULL
    struct sim_memory memory;
    struct sim_race race;
    struct sim_caches caches;
    struct sim_compiler compiler;
    struct sim_compiled *compiled;
    struct sim_predicted predicted;
    struct launch_counts counts;
    const struct sim_compiled *counted; // the file whose kernel was counted; NULL before the first launch
    const struct sim_entry *counted_entry;
    struct sim_recording recording;
    const struct sim_remap *remap;   // NULL: none
    bool loads_later;                // kernels are loaded by sim_load and not when they are built
    double time_limit_s;             // of one launch, in real time; 0: no limit
    struct sim_threads threads;      // that a launch may use
    enum sim_progress_form progress; // where it is to be shown
    struct walked walked;            // the last walk of a launch
    struct sim_sample sample;        // of the last launch or choice of blocks
};

static inline struct sim_device *sim_of(struct device *device) {
    return (struct sim_device *)device;
}

// What if data lay elsewhere? A launch whose requests are counted where another layout would have them. What the kernel
// computes stays the same.

struct sim_remap {
    enum {
        REMAP_NONE,
        REMAP_TILE,    // an array in shared memory gets a layout
        REMAP_STRUCTS, // an array of structures in global memory becomes a structure of arrays
    } kind;
    uint64_t begin, bytes; // of the array: in the block's shared memory, or among device addresses
    struct layout layout;  // of the tile
    uint32_t struct_bytes, member_bytes;
};

// Applies to the next launches; NULL: to none. The remap must outlive them.
void sim_set_remap(struct device *device, const struct sim_remap *remap);

// ---- For the simulator ----

// The shared memory that a block takes more.
uint32_t sim_remap_more_shared(const struct sim_remap *remap);

// The place of a byte: an offset in the block's shared memory, or a device address.
uint64_t sim_remap_shared(const struct sim_remap *remap, uint64_t offset);
uint64_t sim_remap_global(const struct sim_remap *remap, uint64_t address);

#endif
