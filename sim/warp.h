// Steps in which the lanes of a warp exchange values.
#ifndef SIM_WARP_H
#define SIM_WARP_H

#include "sim/lane.h"

// Gives each lane of the group its result.
void sim_exchange_values(struct sim_warp *warp, uint64_t group, enum sim_step step);

// Lets the lanes of the group meet.
void sim_meet(struct sim_warp *warp, uint64_t group);

// The lanes whose shuffle width is not a power of two from 1 to the warp's width.
uint64_t sim_invalid_widths(const struct sim_warp *warp, uint64_t group, uint32_t warp_width);

// The lanes that the group's masks name and that have not returned. The step can run when all of them have reached it.
uint64_t sim_expected_lanes(const struct sim_warp *warp, uint64_t group);

#endif
