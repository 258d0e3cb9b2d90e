// Runs the start of blocks before a launch, to tell their kinds apart.
#ifndef SIM_LOOK_H
#define SIM_LOOK_H

#include "sim/launch_state.h"

// Finds the kinds of `count` blocks, spread over the grid: the first step of a block's first thread that other threads
// can see. No access is carried out.
enum status sim_look(struct sim_launch *launch, uint64_t count, struct sim_kind *kinds);

#endif
