// Runs a grid block by block, the warps of a block in turn, and the lanes of a warp in lockstep.
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "sim/launch_state.h"

// Runs the sample's blocks and sums their counts, each kind of block by its weight. A fault ends the launch and names
// the source line; the device stays usable.
enum status sim_run(struct sim_launch *launch);

#endif
