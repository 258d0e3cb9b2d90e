// What a running launch keeps: the blocks that stand for others, races, atomics that compete, progress.
#ifndef SIM_LAUNCH_STATE_H
#define SIM_LAUNCH_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "model/gpus.h"
#include "model/request.h"
#include "sim/compile/module.h"
#include "sim/count.h"
#include "sim/lane.h"
#include "sim/memory.h"
#include "sim/program.h"
#include "sim/requests.h"
#include "sim/traffic.h"
#include "util/error.h"

// ---- Races on shared memory ----

// A race: two threads touch the same byte with no barrier between them, at least one writes, and at
// least one access is not an atomic. Between blocks of a cluster, only the cluster's barrier and mbarriers count.

// The last access to a piece of memory.
struct sim_touch {
    uint32_t interval; // numbers the time between two barriers of its block; 0: no access yet
    uint32_t barriers; // warp barriers that the warp had passed
    uint32_t request;  // the launch's instruction count at the access
    uint32_t place;    // the instruction's offset in the text
    uint16_t warp;     // counted through the blocks of the cluster
    uint8_t lane;
    bool several_lanes; // another lane of the warp did the same in the same interval
};

enum sim_touch_kind {
    SIM_TOUCH_READ,
    SIM_TOUCH_WRITE,
    SIM_TOUCH_ATOMIC
};

enum {
    SIM_READS = 3 // that a cell keeps
};

// read[1] is the last read by a warp of the same block other than that of read[0], read[2] that by another block. What
// is looked at most lies in one line of the host's cache.
struct sim_cell {
    _Alignas(64) struct sim_touch write;
    struct sim_touch atomic, read[SIM_READS];
};

// What a launch looks for races in.
struct sim_race_extent {
    size_t bytes;           // of a block's shared memory
    uint32_t blocks, warps; // of a cluster; of a block
    bool within_warps;      // whether the lanes of a warp run independently: NVIDIA from sm_70 on
};

struct sim_race {
    struct sim_cell *cells; // one for each grain, and more where an earlier launch needed them
    size_t cell_count;
    struct sim_race_extent in;
    uint32_t grain;                        // bytes of a cell: 4, or 1 after the launch's first narrower access
    uint32_t interval[SIM_CLUSTER_BLOCKS]; // that each block is in; never 0
    uint32_t since, latest;                // the first since all blocks were ordered; the highest so far
    bool allowed;                          // races are not looked for
};

// The cells outlive launches; a new launch begins a new interval.
void sim_race_begin(struct sim_race *race, const struct sim_race_extent *extent);
void sim_race_destroy(struct sim_race *race);

// A barrier of all blocks of the cluster.
static inline void sim_race_order_all(struct sim_race *race) {
    race->since = ++race->latest;
    for (uint32_t rank = 0; rank < race->in.blocks; rank++) {
        race->interval[rank] = race->since;
    }
}

// A barrier of one block.
static inline void sim_race_order_block(struct sim_race *race, uint32_t rank) {
    if (race->in.blocks == 1) {
        sim_race_order_all(race);
    } else {
        race->interval[rank] = ++race->latest;
    }
}

// Records the accesses of a request to shared memory by the block of this rank. An address is an offset in a block's
// memory, plus a window for each rank from this block to that one. touch: what they have in common. Whether one of them
// races with an earlier access, which *other then is, of another warp where there is one; touch->lane is then the one's
// lane.
bool sim_race_touch(struct sim_race *race, const struct request *request, uint32_t rank, enum sim_touch_kind kind,
                    struct sim_touch *touch, struct sim_touch *other);

// ---- The blocks that stand for others ----

// Chooses the blocks of a grid that run, and how many blocks each of them represents.

// The blocks of one kind that run.
struct sim_stratum {
    size_t first, count; // among the sample's blocks
    double grid_blocks;  // blocks of this kind in the whole grid
    bool idle;           // they return without touching memory
    bool is_last;        // it finds that all others have finished
};

struct sim_sample {
    uint64_t *blocks; // sorted by kind, then by number
    struct sim_stratum *strata;
    size_t block_count, stratum_count;
    bool is_part;             // not all blocks
    uint64_t *cluster_blocks; // where each of its blocks is a cluster: the blocks of these; else NULL
    size_t cluster_block_count;
};

// A block and its kind. Blocks of one kind begin with the same access or barrier; kind 0 returns at once.
struct sim_kind {
    uintptr_t kind;
    uint64_t block;
};

// Chooses about `wanted` blocks of the grid. Each kind gets its share among the blocks that were looked at, but at
// least one block. Sorts `looked`. The caller destroys the sample.
enum status sim_sample_take(struct sim_sample *sample, uint64_t grid_blocks, uint64_t wanted, struct sim_kind *looked,
                            size_t looked_count, struct error *error);

// Chooses all blocks of the grid.
enum status sim_sample_all(struct sim_sample *sample, uint64_t grid_blocks, struct error *error);

// Adds the grid's last block as a kind, if the sample is a part of the grid.
void sim_sample_add_last(struct sim_sample *sample, uint64_t grid_blocks);

// Blocks of the grid for each block that runs and touches memory.
double sim_sample_scale(const struct sim_sample *sample);

void sim_sample_destroy(struct sim_sample *sample);

// The standard error of a total over the grid in per cent, from the values of the sample's blocks. NaN if a single
// block represents several blocks of its kind.
double sim_sample_error_pct(const struct sim_sample *sample, const uint64_t *of_block);

// ---- Atomics that compete ----

// Counts atomics on each address of global memory and on each slice of the L2. Both serve one after another.

struct sim_contended {
    uint64_t address;      // 0: the slot is free
    uint64_t turns, bytes; // of its atomics
    uint64_t block;        // that issued the first of them
    bool by_several_blocks;
};

// A lane's atomic.
struct sim_atomic {
    uint64_t address, block;
    uint32_t width_bytes;
    bool floating;
};

// A hash table of the addresses that a launch's atomics went to.
struct sim_contention {
    struct sim_contended *slots; // NULL before the first atomic
    size_t size, used;           // size is a power of two
    uint32_t float_bytes;        // the widest float that was added; 0: none
};

// Counts one lane's atomic.
void sim_contention_add(struct sim_contention *contention, const struct sim_atomic *atomic);

// The turns on the most contended address. Blocks that were not simulated are assumed to use an address that several
// simulated blocks use: scale is the number of blocks in the grid for each simulated one.
double sim_contention_most(const struct sim_contention *contention, double scale);

// The bytes of the slice that has the most. If simulated blocks have addresses of their own, the grid's other blocks
// are taken to have such, too, in the same order.
double sim_contention_slice_bytes(const struct sim_contention *contention, const struct gpu *gpu, double scale,
                                  uint64_t grid_blocks);

void sim_contention_destroy(struct sim_contention *contention);

// ---- Progress ----

// Tells on standard error how much of a long launch is done.

enum sim_progress_form {
    SIM_PROGRESS_NONE,
    SIM_PROGRESS_ON_TERMINAL, // behind what stands on the line, and removed in the end
    SIM_PROGRESS_IN_LINES     // after 1, 2, 4, ... seconds and later every minute
};

struct sim_progress {
    enum sim_progress_form form;
    const char *kernel;
    size_t done, total; // blocks
    double begun_s, next_s;
};

// The form that standard error and the variable BANKSHOT_SIM_PROGRESS allow: nothing if it is no terminal, unless the
// variable is "yes".
enum sim_progress_form sim_progress_form(void);

void sim_progress_begin(struct sim_progress *progress, enum sim_progress_form form, const char *kernel, size_t total);

// Call this now and then; it seldom writes.
void sim_progress_show(struct sim_progress *progress);

void sim_progress_end(struct sim_progress *progress);

// ---- The launch ----

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
    // The fields from here on are set by sim_blocks_begin and changed while the launch runs.
    double begun_s;                 // clock_s
    struct sim_buffer *last_buffer; // that a lane accessed
    uint32_t steps;                 // of all warps
    uint32_t ended_blocks;          // of the cluster, one bit each
    struct sim_progress progress;
    double weight;          // of the blocks that run now
    uint64_t shared_offset; // of dynamic shared memory, which follows the static
    // The first race of the block among lanes of one warp. Another warp may race there, too, and then the missing
    // barrier is the block's; so the block runs on. Empty: there was none.
    char race_within_warp[sizeof((struct error *)0)->text];
};

#endif
