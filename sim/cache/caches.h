// The caches of a simulated part, for launches whose accesses wait for one another (struct launch, chained): the level
// that answers an access, and its time in clocks.
//
// One unit's L1 is kept, because such a launch has one block.
#ifndef SIM_CACHE_CACHES_H
#define SIM_CACHE_CACHES_H

#include "sim/cache/cache.h"

enum {
    SIM_L2_PARTS = 2
};

struct sim_caches {
    const struct gpu_latency *latency; // NULL: not created yet
    uint32_t parts;                    // of the L2 that the unit reaches; the first is near
    struct sim_cache l1, l2[SIM_L2_PARTS], l3, tlb;
};

// Fails if the part's latencies are unknown.
enum status sim_caches_create(struct sim_caches *caches, const struct gpu *gpu, struct error *error);
void sim_caches_destroy(struct sim_caches *caches);

// A launch begins with an empty L1.
void sim_caches_begin_launch(struct sim_caches *caches);

// A launch that was not simulated in the caches leaves their content unknown.
void sim_caches_forget(struct sim_caches *caches);

// Clocks of one lane's access to global memory.
uint32_t sim_caches_load(struct sim_caches *caches, uint64_t address);
uint32_t sim_caches_atomic(struct sim_caches *caches, uint64_t address);
uint32_t sim_caches_store(const struct sim_caches *caches, uint64_t address);

#endif
