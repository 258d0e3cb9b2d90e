// What the blocks of a launch do between their barriers. Intervals that are alike are counted together.
#ifndef SIM_TIME_INTERVAL_H
#define SIM_TIME_INTERVAL_H

#include <stdbool.h>

#include "model/work.h"
#include "util/error.h"

struct sim_block;

struct sim_intervals {
    struct launch_interval *interval;
    uint64_t *since_fold;               // blocks that ran with each of them
    size_t count, most;                 // what comes after `most` of them is merged into the last one
    bool is_full;                       // some were
    uint32_t *index;                    // interval + 1, by hash; 0: none
    struct block_tail current, longest; // tails of the running block and of those before it
    struct block_tail own_last, last;   // the same for what follows an atomic that returned
    bool has_loaded;                    // the running block has waited for a load that missed L1
    bool has_returned;                  // and for an atomic
};

enum {
    SIM_INTERVALS = 1024
};

// most: a power of two.
enum status sim_intervals_create(struct sim_intervals *intervals, size_t most, struct error *error);
void sim_intervals_destroy(struct sim_intervals *intervals);

// Adds what the block's warps have done since its last barrier, and clears it.
void sim_intervals_add(struct sim_intervals *intervals, struct sim_block *block, bool ends_block);

// Adds an interval of several blocks.
void sim_intervals_add_alike(struct sim_intervals *intervals, const struct block_interval *work, uint64_t blocks);

// Adds the longest tail of several blocks.
void sim_intervals_add_tail(struct sim_intervals *intervals, const struct block_tail *tail);

// Lets each block since the last fold stand for `weight` blocks.
void sim_intervals_fold(struct sim_intervals *intervals, double weight);

#endif
