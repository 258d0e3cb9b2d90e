// Blocks that follow each other along the paths of a footprint which they share, simulated load by load. Blocks on one
// path stay in step by themselves: the first one waits for memory, and the others catch up, because they find its lines
// in the L2. Where too few follow, they drift apart, and each reads its lines from memory.
#ifndef MODEL_WALK_H
#define MODEL_WALK_H

#include <stdint.h>

struct walk {
    uint32_t units, unit_blocks, block_warps;
    uint32_t loads, batch; // of a warp; how many of them it has under way before it waits for all
    uint32_t under_way;    // loads of a unit at most
    uint64_t paths;        // block b takes path b modulo these
    uint32_t sets, ways;   // of the L2; a line stands for all of a warp's load
    // In clocks:
    double issue;           // of a unit, for a warp's load
    double hit, fill, miss; // by which a load keeps the L2 busy, by which its arrival from memory does, and memory
    double hit_latency, miss_latency;
    double block; // between two blocks
};

// Clocks per load of a warp, of all units together, once the blocks no longer begin together. NaN without memory.
double walk_clocks(const struct walk *walk);

#endif
