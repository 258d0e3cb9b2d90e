// The blocks that run side by side: one, or those of a cluster. Each has lanes, warps, and coroutines that its lanes
// run on. The shared memory of a cluster's blocks lies in windows, one after another (SIM_WINDOW_SHIFT).
#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include "sim/lane.h"
#include "sim/launch_state.h"

struct sim_block {
    struct sim_lane lanes[SIM_BLOCK_THREADS];
    struct sim_warp warps[SIM_BLOCK_THREADS / 32];
    uint32_t warp_count;
    uint32_t rank;           // in its cluster
    struct dimensions index; // in the grid
};

struct sim_cluster {
    struct sim_block *blocks[SIM_CLUSTER_BLOCKS];
    uint32_t count;
};

// Call these two around the blocks of a launch.
void sim_blocks_begin(struct sim_launch *launch);
void sim_blocks_end(enum status status);

// Sets up the blocks of the launch's cluster with this number, or its one block; they stay valid until the next are set
// up.
void sim_cluster_set_up(struct sim_launch *launch, uint64_t number, struct sim_cluster *cluster);

// The first block of a cluster with only its first thread, and without shared memory.
struct sim_block *sim_block_set_up_one_thread(const struct sim_launch *launch, uint64_t number);

// Makes this the running block, in which lanes find their indices.
static inline void sim_block_enter(const struct sim_block *block) {
    sim_turn.block = block->index;
    sim_turn.rank = block->rank;
}

static inline uint32_t sim_block_threads(const struct launch *launch) {
    return (uint32_t)dimensions_count(&launch->block);
}

// Gives each lane of the warp a coroutine. A warp is started when it first runs, so that in blocks whose warps never
// wait all warps use the same few stacks.
enum status sim_warp_start(struct sim_warp *warp, struct error *error);

// The block of a cluster's rank, in the grid.
struct dimensions sim_block_index(const struct sim_launch *launch, uint64_t cluster, uint32_t rank);

static inline bool sim_warp_is_started(const struct sim_warp *warp) {
    return warp->lanes[__builtin_ctzll(warp->live)].coroutine != NULL;
}

// Takes the coroutine of a lane that has returned.
void sim_lane_finish(struct sim_lane *lane);

// The same for a lane that has not returned; its state is dropped.
void sim_lane_abandon(struct sim_lane *lane);

#endif
