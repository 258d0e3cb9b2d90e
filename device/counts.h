// What the simulator counts of a launch. A counter is one line of a list: the structs, the sums and the means follow
// from the lists.
#ifndef DEVICE_COUNTS_H
#define DEVICE_COUNTS_H

#include <stdbool.h>

#include "model/bound.h"
#include "model/work.h"

// clang-format off
#define MEMORY_COUNTERS(COUNTER)                                                                          \
    COUNTER(requests)     /* warp-wide instructions */                                                    \
    COUNTER(lane_bytes)   /* active lanes * width, summed */                                              \
    COUNTER(sectors)      /* global: the least units that move (32 bytes on NVIDIA, a line on AMD) */     \
    COUNTER(lines)        /* global: cache lines */                                                       \
    COUNTER(passes)       /* shared: trips through the data stage */                                      \
    COUNTER(conflicts)    /* shared: bank conflicts as the vendor's profiler counts them */               \
    COUNTER(unique_bytes) /* shared: distinct bytes that each request touches, summed */

// A space and an operation each; an atomic counts as a store.
#define LAUNCH_MEMORIES(MEMORY)                                                                           \
    MEMORY(global_load)                                                                                   \
    MEMORY(global_store)                                                                                  \
    MEMORY(shared_load)                                                                                   \
    MEMORY(shared_store)

#define LAUNCH_COUNTERS(COUNTER)                                                                          \
    COUNTER(warps)                                                                                        \
    COUNTER(instructions)         /* warp-wide steps: memory requests, barriers, shuffles, branches */    \
    COUNTER(lane_steps)           /* active lanes, summed over instructions */                            \
    COUNTER(branches)             /* warp-wide branches */                                                \
    COUNTER(barriers)             /* warp-wide block barriers */                                          \
    COUNTER(device_read_bytes)    /* at least, from memory: loads, and sectors that stores fill in part */\
    COUNTER(device_write_bytes)   /* distinct sectors written */                                          \
    COUNTER(atomics_in_turn)      /* on the address of global memory that has the most */                 \
    COUNTER(weighed_instructions) /* about as many as a GPU's compiler makes */                           \
    COUNTER(least_requests)       /* of volatile accesses: no compiler leaves these out */                \
    COUNTER(least_passes)         /* the same */                                                          \
    COUNTER(kept_passes)          /* shared: without loads that a compiler holds in registers or makes wider */\
    COUNTER(left_out)             /* shared: these loads */
// clang-format on

#define COUNTER_FIELD(name) double name;
#define MEMORY_FIELD(name) struct memory_counts name;

// Of one memory space and operation.
struct memory_counts {
    MEMORY_COUNTERS(COUNTER_FIELD)
};

// Over the whole grid: scaled up where only some blocks ran.
struct launch_counts {
    LAUNCH_MEMORIES(MEMORY_FIELD)
    LAUNCH_COUNTERS(COUNTER_FIELD)
    struct memory_traffic memory;
    struct launch_path path;
    double sampling_error_pct; // of the requests, the standard error; NaN: not known
    bool sampled;              // not all blocks ran
    // These are not added up:
    struct launch_bound bound; // what no part with these limits can beat
    double predicted_ns;       // what the model expects
    const char *predicted_by;  // the resource that most of the time goes to
};

// Adds what another launch, or another part of the same one, came to.
void launch_counts_add(struct launch_counts *sum, const struct launch_counts *more);

// Makes the sum of several launches their mean.
void launch_counts_mean(struct launch_counts *counts, double launches);

#endif
