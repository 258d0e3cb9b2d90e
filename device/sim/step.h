// The steps of one warp.
#ifndef DEVICE_SIM_STEP_H
#define DEVICE_SIM_STEP_H

#include "device/sim/lane.h"
#include "device/sim/launch_state.h"

// Lanes that can run: they have not returned and do not wait at a barrier of the block.
static inline uint64_t sim_runnable_lanes(const struct sim_warp *warp) {
    return warp->live & ~warp->at_barrier;
}

// Runs the warp until all its lanes wait or have returned, or its turn is over.
enum status sim_run_warp(struct sim_launch *launch, struct sim_warp *warp);

#endif
