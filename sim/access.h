// One access of a group of lanes.
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include "sim/lane.h"
#include "sim/launch_state.h"

// Checks the group's access, counts it and looks for races. *group shrinks to the lanes that make the access together;
// *cycles is the time that it takes.
enum status sim_memory_step(struct sim_launch *launch, struct sim_warp *warp, uint64_t *group, struct sim_site *site,
                            uint64_t *cycles);

// Checks and notes a load through the scalar cache, which is no request.
enum status sim_scalar_load(struct sim_launch *launch, struct sim_warp *warp, uint64_t address, uint32_t bytes);

#endif
