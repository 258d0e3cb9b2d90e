// A launch while it runs.
#ifndef SIM_LAUNCH_STATE_H
#define SIM_LAUNCH_STATE_H

#include <time.h>

#include "device/device.h"
#include "sim/caches.h"
#include "sim/compile/module.h"
#include "sim/contention.h"
#include "sim/count.h"
#include "sim/memory.h"
#include "sim/parallel/threads.h"
#include "sim/progress.h"
#include "sim/race.h"
#include "sim/recording.h"
#include "sim/sample.h"
#include "sim/time/wait.h"

struct sim_intervals;
struct sim_remap;

struct sim_launch {
    const struct gpu *gpu;
    const struct sim_module *module;
    const struct sim_entry *entry;
    const struct launch *launch;
    struct dimensions cluster; // blocks of a cluster; 1 along each axis: the kernel has none
    uint32_t cluster_blocks;
    struct sim_memory *memory;
    struct sim_buffer *file_data; // the kernel's file-scope data
    struct sim_sites *sites;
    struct sim_race *race;
    struct sim_contention *contention;
    struct sim_caches *caches;       // NULL unless the launch is chained
    const struct sim_sample *sample; // the blocks that run
    uint64_t *requests;              // of each of them
    struct sim_intervals *intervals;
    struct sim_near *near;
    struct sim_recording *recording; // NULL: requests are not recorded
    const struct sim_remap *remap;   // NULL: none
    double chain_cycles;             // of the first warp of each block, where the launch is chained
    double unit_loads;               // sectors that L1s load, summed over blocks
    double limit_s;                  // real time that the launch may take; 0: no limit
    struct error *error;             // where faults are written
    struct sim_threads threads;
    struct sim_setback *setback; // of the compiled file
    bool in_worker;              // this process runs some of the blocks and leaves their counts to another (parallel/)
    // The fields from here on are set by sim_blocks_begin and changed while the launch runs.
    struct timespec begun;
    struct sim_buffer *last_buffer; // that a lane accessed
    uint32_t steps;                 // of all warps
    uint32_t ended_blocks;          // of the cluster, one bit each
    struct sim_progress progress;
    uint32_t failed_sections; // in which blocks could not run side by side
    double weight;            // of the blocks that run now
    uint64_t shared_offset;   // of dynamic shared memory, which follows the static
    // The first race of the block among lanes of one warp. Another warp may race there, too, and then the missing
    // barrier is the block's; so the block runs on. Empty: there was none.
    char race_within_warp[sizeof((struct error *)0)->text];
};

// Real time since the launch began.
static inline double sim_launch_seconds(const struct sim_launch *launch) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - launch->begun.tv_sec) + (double)(now.tv_nsec - launch->begun.tv_nsec) * 1e-9;
}

#endif
