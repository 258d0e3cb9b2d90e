// One access of a group of lanes.
#ifndef DEVICE_SIM_ACCESS_H
#define DEVICE_SIM_ACCESS_H

#include "device/sim/lane.h"
#include "device/sim/launch_state.h"

// Checks the group's access, counts it and looks for races. *group shrinks to the lanes that make the access together;
// *cycles is the time that it takes.
enum status sim_memory_step(struct sim_launch *launch, struct sim_warp *warp, uint64_t *group, struct sim_site *site,
                            uint64_t *cycles);

#endif
