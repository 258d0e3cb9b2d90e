// One launch: runs a grid block by block, a block's warps in turn, a warp's lanes in lockstep.
#ifndef DEVICE_SIM_RUN_H
#define DEVICE_SIM_RUN_H

#include <time.h>

#include "device/device.h"
#include "device/sim/compile/module.h"
#include "device/sim/contention.h"
#include "device/sim/count.h"
#include "device/sim/lane.h"
#include "device/sim/memory.h"
#include "device/sim/race.h"
#include "device/sim/sample.h"

struct sim_launch {
    const struct gpu *gpu;
    const struct sim_module *module;
    const struct sim_entry *entry;
    const struct launch *launch;
    struct sim_memory *memory;
    struct sim_buffer *file_data; // the kernel's file-scope data
    struct sim_sites *sites;
    struct sim_race *race;
    struct sim_contention *contention;
    const struct sim_sample *sample; // the blocks that run
    uint64_t *requests;              // of each of them
    double limit_s;                  // real time that it may take; 0: any
    struct error *error;             // where faults go
    struct timespec begun;           // from here on the run's own
    struct sim_buffer *last_buffer;
    uint32_t steps;
    uint64_t shared_offset; // of dynamic shared memory, behind the static
};

// Looks at so many blocks, spread over the grid, and says of what kind each is: what its first thread does first that
// others see. Nothing is carried out.
enum status sim_look(struct sim_launch *launch, uint64_t count, struct sim_kind *kinds);

// Runs the sample's blocks and sums what they came to, each kind by its weight. A fault ends the launch and names the
// line; the device stays usable.
enum status sim_run(struct sim_launch *launch);

// An access of the group, which shrinks to the lanes that make it together: checks it, counts it, looks for races.
// Returns the cycles that it takes in *cycles.
enum status sim_memory_step(struct sim_launch *launch, struct sim_warp *warp, uint64_t *group, struct sim_site *site,
                            uint64_t *cycles);

// ---- Faults, as an error (report.c) ----

// "file.cu:12: kernel, block (0,0,0), thread (1,0,0): WHAT", where lane is the thread's place in the warp.
enum status sim_report(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

enum status sim_report_stray(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane);
enum status sim_report_misaligned(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane);
enum status sim_report_race(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane,
                            const struct sim_touch *other);
enum status sim_report_signal(const struct sim_launch *launch, const struct sim_warp *warp);

#endif
