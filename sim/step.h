// The steps of one warp.
#ifndef SIM_STEP_H
#define SIM_STEP_H

#include "sim/lane.h"
#include "sim/launch_state.h"

// Lanes that can run: they have not returned and do not wait at a barrier of the block.
static inline uint64_t sim_runnable_lanes(const struct sim_warp *warp) {
    return warp->live & ~warp->at_barrier;
}

// Counts a step; an error if the launch has run too long.
enum status sim_check_time(struct sim_launch *launch, const struct sim_warp *warp, uint64_t group);

// Runs the warp until all its lanes wait or have returned, or its turn is over.
enum status sim_run_warp(struct sim_launch *launch, struct sim_warp *warp);

#endif
