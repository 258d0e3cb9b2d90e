// Runs warps of kernels whose instructions are a whole warp's, as AMD's are: one coroutine runs a warp, and each of its
// accesses comes with the addresses of all lanes.
#ifndef SIM_WAVE_H
#define SIM_WAVE_H

#include "sim/block.h"
#include "sim/launch_state.h"

// Runs the warp until it waits at a barrier, has ended, or its turn is over.
enum status sim_run_wave(struct sim_launch *launch, struct sim_warp *warp);

// The first access or barrier of a warp that has just been started; 0: it ends without one.
uintptr_t sim_wave_first_step(struct sim_launch *launch, struct sim_warp *warp);

// Clears what the segments have counted, also while a first step was sought.
void sim_wave_forget_counts(const struct sim_module *module);

// Adds what the segments counted since the last call to their sites.
void sim_wave_fold_counts(struct sim_launch *launch);

#endif
