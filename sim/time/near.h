// Which of a block's loads find their data in L1.
#ifndef SIM_TIME_NEAR_H
#define SIM_TIME_NEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

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
