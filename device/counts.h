// What the simulator counts of a launch. A counter is one line of a list: the structs, the sums and the means follow
// from the lists.
#ifndef DEVICE_COUNTS_H
#define DEVICE_COUNTS_H

#include <stdbool.h>

#include "model/gpu_limits.h"
#include "model/time/time.h"
#include "model/work.h"

// clang-format off
#define MEMORY_COUNTERS(COUNTER)                                                                          \
    COUNTER(requests)     /* warp-wide instructions */                                                    \
    COUNTER(lanes)        /* active lanes, summed */                                                      \
    COUNTER(lane_bytes)   /* active lanes * width, summed */                                              \
    COUNTER(sectors)      /* global: the smallest units that move (32 bytes on NVIDIA, a line on AMD) */     \
    COUNTER(again)        /* global: of these, how many move again, for atomics of lanes with one address */ \
    COUNTER(lines)        /* global: cache lines */                                                       \
    COUNTER(l1_clocks)    /* global: clocks for which the units' L1s are busy, if loads find all there */   \
    COUNTER(way_clocks)   /* global: clocks of the way to L2, for stores */                               \
    COUNTER(passes)       /* shared: trips through the data stage */                                      \
    COUNTER(conflicts)    /* shared: bank conflicts as the vendor's profiler counts them */               \
    COUNTER(unique_bytes) /* shared: distinct bytes that each request touches, summed */

// One for each space and operation; an atomic counts as a store.
#define LAUNCH_MEMORIES(MEMORY)                                                                           \
    MEMORY(global_load)                                                                                   \
    MEMORY(global_store)                                                                                  \
    MEMORY(shared_load)                                                                                   \
    MEMORY(shared_store)

#define LAUNCH_COUNTERS(COUNTER)                                                                          \
    COUNTER(warps)                                                                                        \
    COUNTER(instructions)         /* warp-wide steps: memory requests, barriers, shuffles, branches; of AMD's instructions vector_instructions */ \
    COUNTER(lane_steps)           /* active lanes, summed over instructions */                            \
    COUNTER(branches)             /* warp-wide branches */                                                \
    COUNTER(barriers)             /* warp-wide block barriers */                                          \
    COUNTER(atomics)              /* of lanes, on global memory */                                        \
    COUNTER(device_read_bytes)    /* at least, from memory: loads, and sectors that stores fill in part */\
    COUNTER(device_write_bytes)   /* distinct sectors written */                                          \
    COUNTER(cached_bytes)         /* of both, what the last-level cache serves in memory's place */       \
    COUNTER(atomics_in_turn)      /* on the most contended address of global memory */                    \
    COUNTER(atomic_slice_bytes)   /* on the busiest slice of L2 (model/work.h) */                         \
    COUNTER(chain_cycles)         /* of chained accesses: their latencies */                              \
    COUNTER(weighed_instructions) /* about as many as a GPU's compiler makes */                           \
    COUNTER(least_requests)       /* of volatile accesses: no compiler leaves these out */                \
    COUNTER(least_passes)         /* the same */                                                          \
    COUNTER(kept_passes)          /* shared: without loads that a compiler holds in registers or makes wider */\
    COUNTER(left_out)             /* shared: these loads */                                               \
    COUNTER(vector_instructions)  /* of AMD's instructions: arithmetic of vectors */                      \
    COUNTER(scalar_instructions)  /* arithmetic and control of scalars, with branches and waits */        \
    COUNTER(lds_instructions)     /* of shared memory, and exchanges between lanes */                     \
    COUNTER(vector_memory_instructions)                                                                   \
    COUNTER(scalar_memory_instructions)                                                                   \
    COUNTER(scratch_instructions)         /* of the vector-memory ones, those of private memory, as spilled registers make them */
// clang-format on

#define COUNTER_FIELD(name) double name;
#define MEMORY_FIELD(name) struct memory_counts name;

// The counts of one memory space and operation.
struct memory_counts {
    MEMORY_COUNTERS(COUNTER_FIELD)
};

// The counts of the whole grid, scaled up if only some blocks ran.
struct launch_counts {
    LAUNCH_MEMORIES(MEMORY_FIELD)
    LAUNCH_COUNTERS(COUNTER_FIELD)
    struct memory_traffic memory;
    double sampling_error_pct; // standard error of the requests; NaN: unknown
    bool sampled;              // not all blocks ran
    // These are not summed:
    uint32_t atomic_float_bytes; // the width of atomics of floats; 0: there are none
    struct launch_bound bound;   // lower bound of the time on a part with these limits
    double predicted_ns;         // the model's prediction
    const char *predicted_by;    // the resource that takes most of the time
    double part_ns[TIME_PARTS];  // of struct launch_time
};

// Adds the counts of another launch, or of another part of the same launch.
void launch_counts_add(struct launch_counts *sum, const struct launch_counts *more);

// Adds `steps` times what the next launch counts more than this one: the counts of a launch that does so much more.
void launch_counts_extrapolate(struct launch_counts *counts, const struct launch_counts *next, double steps);

// Turns the sum of several launches into their mean.
void launch_counts_mean(struct launch_counts *counts, double launches);

#endif
