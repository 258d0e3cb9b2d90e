// Races on shared memory: two threads touch the same byte with no barrier between them, at least one writes, and at
// least one access is not an atomic. Between blocks of a cluster, only the cluster's barrier and mbarriers count.
#ifndef SIM_RACE_H
#define SIM_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/request.h"
#include "sim/program.h"
#include "util/error.h"

// The last access to a piece of memory.
struct sim_touch {
    uint32_t interval; // numbers the time between two barriers of its block; 0: no access yet
    uint32_t barriers; // warp barriers that the warp had passed
    uint32_t request;  // the launch's instruction count at the access
    uint32_t place;    // the instruction's offset in the text
    uint16_t warp;     // counted through the blocks of the cluster
    uint8_t lane;
    bool several_lanes; // another lane of the warp did the same in the same interval
};

enum sim_touch_kind {
    SIM_TOUCH_READ,
    SIM_TOUCH_WRITE,
    SIM_TOUCH_ATOMIC
};

enum {
    SIM_READS = 3 // that a cell keeps
};

// read[1] is the last read by a warp of the same block other than that of read[0], read[2] that by another block.
struct sim_cell {
    struct sim_touch write, atomic, read[SIM_READS];
};

struct sim_race {
    struct sim_cell *cells;                // one for each grain
    size_t room;                           // bytes that the cells cover
    size_t bytes;                          // of a block's shared memory
    uint32_t grain;                        // bytes of a cell: 4, or 1 after the first narrower access
    uint32_t blocks, warps;                // of a cluster; of a block
    uint32_t interval[SIM_CLUSTER_BLOCKS]; // that each block is in; never 0
    uint32_t since, latest;                // the first since all blocks were ordered; the highest so far
    bool within_warps;                     // whether the lanes of a warp run independently: NVIDIA from sm_70 on
    bool allowed;                          // races are not looked for
};

// What a launch looks for races in.
struct sim_race_extent {
    size_t bytes;           // of a block's shared memory
    uint32_t blocks, warps; // of a cluster; of a block
    bool within_warps;      // as in struct sim_race
};

// The cells outlive launches; a new launch begins a new interval.
enum status sim_race_begin(struct sim_race *race, const struct sim_race_extent *extent, struct error *error);
void sim_race_destroy(struct sim_race *race);

// A barrier of all blocks of the cluster.
static inline void sim_race_order_all(struct sim_race *race) {
    race->since = ++race->latest;
    for (uint32_t rank = 0; rank < race->blocks; rank++) {
        race->interval[rank] = race->since;
    }
}

// A barrier of one block.
static inline void sim_race_order_block(struct sim_race *race, uint32_t rank) {
    if (race->blocks == 1) {
        sim_race_order_all(race);
    } else {
        race->interval[rank] = ++race->latest;
    }
}

// Records the accesses of a request to shared memory by the block of this rank. An address is an offset in a block's
// memory, plus a window for each rank from this block to that one. touch: what they have in common. Whether one of them
// races with an earlier access, which *other then is, of another warp where there is one; touch->lane is then the one's
// lane.
bool sim_race_touch(struct sim_race *race, const struct request *request, uint32_t rank, enum sim_touch_kind kind,
                    struct sim_touch *touch, struct sim_touch *other);

#endif
