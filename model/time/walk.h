// Follows a launch load by load through sets of lines.
#ifndef MODEL_TIME_WALK_H
#define MODEL_TIME_WALK_H

#include <stdint.h>

// ---- Sets of lines, of which the least recently used one makes room ----

struct set_line {
    uint64_t name;      // of what it holds, from 1; 0: nothing
    double used, ready; // when it was asked for last, and when it arrives from elsewhere
};

uint64_t line_hash(uint64_t name);

// The line of this name, or the one of its set that makes room. A hash chooses the set.
struct set_line *set_line_find(struct set_line *lines, uint32_t sets, uint32_t ways, uint64_t name);

// Blocks that follow each other along the paths of a footprint which they share, simulated load by load. Blocks on one
// path stay in step by themselves: the first one waits for memory, and the others catch up, because they find its lines
// in the L2. Where too few follow, they drift apart, and each reads its lines from memory.

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

// The last answer. A launch is often repeated, so who asks again keeps it.
struct walked {
    struct walk walk;
    double clocks;
};

// Clocks per load of a warp, of all units together, once the blocks no longer begin together. NaN without memory. Takes
// the last answer if it is of the same walk, and leaves the new one there; without a place for it, NULL, it walks each
// time.
double walk_clocks(const struct walk *walk, struct walked *last);

#endif
