// Loads or stores of a footprint that blocks share and go through together, on a GPU whose units reach the L2 by ports,
// simulated load by load. Ports get the same share of L2 and memory, so blocks of a port with fewer units get ahead of
// the others. That decides how soon a line is asked for again, and so whether the L2 still holds it.
#ifndef MODEL_TIME_DRIFT_H
#define MODEL_TIME_DRIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/time/latency.h"

// A load is what a block loads at once, or stores, and a line stands for all of it. A chunk is the loads that a block
// has under way.
struct drift {
    bool stores; // in place of loads
    const struct unit_ports *ports;
    uint32_t unit_blocks;
    uint32_t chunk_loads, chunks;
    uint32_t group;           // blocks that touch adjacent chunks together
    uint32_t rounds;          // chunks that a block touches, `group` apart; the next group continues after its last one
    uint64_t blocks;          // of the launch
    uint32_t under_way;       // loads that a port waits for, at most, not fewer than a chunk's
    uint32_t sets, ways;      // of each half of the L2
    double port, far, memory; // clocks for which a load keeps them busy
    double hit_latency, far_latency, miss_latency;
    double block; // clocks between two blocks
};

// The ports of all GPCs.
uint32_t drift_ports(const struct unit_ports *ports);

// Clocks per load of a block, of all units together. NaN without memory.
double drift_clocks(const struct drift *drift);

#endif
