// Which of a warp's loads a step waits for.
#ifndef SIM_TIME_WAIT_H
#define SIM_TIME_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/count.h"
#include "sim/lane.h"
#include "util/error.h"

// Lets the warp wait for the loads that its next step needs. A load or a branch waits for those that its address or its
// condition comes from. Any other step waits for all: a store needs its value, and a barrier or a shuffle comes after
// whatever is before it.
void sim_wait(struct sim_warp *warp, const struct sim_site *site, enum sim_step step);

// The same where the instructions say when to wait: for what is under way from global memory, from shared memory.
void sim_wait_for_all(struct sim_warp *warp, bool global, bool shared);

// Notes the loads of a request that was made.
void sim_wait_later(struct sim_warp *warp, const struct sim_site *site, const struct sim_outstanding *loads);

// ---- Loads that hit L1 ----

// The sectors that the running block has loaded. When they no longer fit into L1, all are forgotten.
struct sim_near {
    uint64_t *keys; // a hash table, in which the keys of earlier blocks count as empty
    uint32_t slots; // a power of two
    uint32_t count, most;
    uint64_t block;
    uint64_t misses; // loads by all blocks of sectors that were not there, until it is reset
};

enum status sim_near_create(struct sim_near *near, uint32_t sectors, struct error *error);
void sim_near_destroy(struct sim_near *near);

// Call this before a block runs.
void sim_near_begin_block(struct sim_near *near);

// Notes that the block loads a sector. Returns whether the sector was there.
bool sim_near_load(struct sim_near *near, uint64_t sector);

#endif
