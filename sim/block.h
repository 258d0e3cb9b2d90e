// The block that runs: its lanes, its warps, and the coroutines that its lanes run on.
#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include "sim/lane.h"
#include "sim/launch_state.h"

struct sim_block {
    struct sim_lane lanes[SIM_BLOCK_THREADS];
    struct sim_warp warps[SIM_BLOCK_THREADS / 32];
    uint32_t warp_count;
};

// Call these two around the blocks of a launch.
void sim_blocks_begin(struct sim_launch *launch);
void sim_blocks_end(enum status status);

// Sets up a block of the launch; it stays valid until the next is set up.
struct sim_block *sim_block_set_up(struct sim_launch *launch, uint64_t number);

// The same with only its first thread, and without shared memory.
struct sim_block *sim_block_set_up_one_thread(const struct sim_launch *launch, uint64_t number);

static inline uint32_t sim_block_threads(const struct launch *launch) {
    return (uint32_t)dimensions_count(&launch->block);
}

// Gives each lane of the warp a coroutine. A warp is started when it first runs, so that in blocks whose warps never
// wait all warps use the same few stacks.
enum status sim_warp_start(struct sim_warp *warp, struct error *error);

static inline bool sim_warp_is_started(const struct sim_warp *warp) {
    return warp->lanes[__builtin_ctzll(warp->live)].coroutine != NULL;
}

// Takes the coroutine of a lane that has returned.
void sim_lane_finish(struct sim_lane *lane);

// The same for a lane that has not returned; its state is dropped.
void sim_lane_abandon(struct sim_lane *lane);

#endif
