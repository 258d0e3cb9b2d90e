// Which of a warp's loads a step waits for.
#ifndef SIM_TIME_WAIT_H
#define SIM_TIME_WAIT_H

#include "sim/count.h"
#include "sim/lane.h"

// Lets the warp wait for the loads that its next step needs. A load or a branch waits for those that its address or its
// condition comes from. Any other step waits for all: a store needs its value, and a barrier or a shuffle comes after
// whatever is before it.
void sim_wait(struct sim_warp *warp, const struct sim_site *site, enum sim_step step);

// The same where the instructions say when to wait: for what is under way from global memory, from shared memory.
void sim_wait_for_all(struct sim_warp *warp, bool global, bool shared);

// Notes the loads of a request that was made.
void sim_wait_later(struct sim_warp *warp, const struct sim_site *site, const struct sim_outstanding *loads);

#endif
