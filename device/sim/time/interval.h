// What the blocks of a launch do between their barriers. Intervals that are alike are counted together.
#ifndef DEVICE_SIM_INTERVAL_H
#define DEVICE_SIM_INTERVAL_H

#include <stdbool.h>

#include "model/work.h"
#include "util/error.h"

struct sim_block;

struct sim_intervals {
    struct launch_interval *interval;
    size_t count;
    uint32_t *index;                    // interval + 1, by hash; 0: none
    struct block_tail current, longest; // tails of the running block and of those before it
    bool has_loaded;                    // the running block has waited for a load that missed L1
};

enum status sim_intervals_create(struct sim_intervals *intervals, struct error *error);
void sim_intervals_destroy(struct sim_intervals *intervals);

// Adds what the block's warps have done since its last barrier, and clears it. The block stands for `weight` blocks.
void sim_intervals_add(struct sim_intervals *intervals, struct sim_block *block, double weight, bool ends_block);

#endif
