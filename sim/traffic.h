// The caches of a simulated part, for launches whose accesses wait for one another (struct launch, chained): the level
// that answers an access, and its time in clocks.
//
// One unit's L1 is kept, because such a launch has one block.
#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include "model/gpus.h"
#include "model/time/latency.h"
#include "sim/memory.h"
#include "util/error.h"

// ---- One cache ----

// Lines in sets. The least recently used line of a set makes room for a new one, and that of a group of sets where the
// group has less room.
struct sim_cache_line {
    uint64_t number; // from 1 on; 0: free
    uint64_t used;   // the access that used it last
};

struct sim_cache {
    struct sim_cache_line *lines; // set by set
    uint64_t sets, accesses;
    uint32_t line_bytes;
    struct cache_sets of;
};

// With bytes 0 the cache holds nothing. Call sim_cache_destroy afterwards.
void sim_cache_create(struct sim_cache *cache, uint64_t bytes, uint32_t line_bytes, struct cache_sets sets);
void sim_cache_destroy(struct sim_cache *cache);
void sim_cache_clear(struct sim_cache *cache);

// Returns whether the line is present; afterwards it is.
bool sim_cache_access(struct sim_cache *cache, uint64_t address);

// The same, with a number other than the address to choose the set.
bool sim_cache_access_at(struct sim_cache *cache, uint64_t place, uint64_t address);

// ---- All of them ----

enum {
    SIM_L1,
    SIM_L2, // one for each of its parts
    SIM_L2_PARTS = 2,
    SIM_L3 = SIM_L2 + SIM_L2_PARTS,
    SIM_TLB,
    SIM_CACHES
};

struct sim_caches {
    const struct gpu_latency *latency; // NULL: not created yet
    uint32_t parts;                    // of the L2 that the unit reaches; the first is near
    struct sim_cache of[SIM_CACHES];
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

// The traffic of a launch between memory and the caches.

// Creates the buffer's bitmaps on first use.
enum status sim_traffic_begin(struct sim_buffer *buffer, uint32_t sector_bytes, struct error *error);

// Notes over which part of each buffer the accesses of the blocks since the last fold are spread.
void sim_memory_reach(struct sim_memory *memory, const struct gpu *gpu);

// Adds what the blocks since the last fold touched to the sums of all buffers, and clears their bitmaps. Each of these
// blocks represents `weight` blocks.
void sim_memory_fold(struct sim_memory *memory, struct sim_buffer *file_data, const struct gpu *gpu, double weight);

// Forgets what launches left in the last-level cache: the next one finds what itself would have left.
void sim_memory_forget_launches(struct sim_memory *memory);

// Returns the sum over all buffers and resets their sums. A buffer's bytes move once, and again as far as blocks share
// them and the last-level cache has lost them meanwhile.
struct memory_traffic sim_memory_traffic(struct sim_memory *memory, struct sim_buffer *file_data,
                                         const struct gpu *gpu);

#endif
