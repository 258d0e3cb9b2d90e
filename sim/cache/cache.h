// A cache of lines in sets. The least recently used line of a set makes room for a new one, and that of a group of sets
// where the group has less room.
#ifndef SIM_CACHE_CACHE_H
#define SIM_CACHE_CACHE_H

#include "model/time/latency.h"
#include "util/error.h"

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

// With bytes 0 the cache holds nothing. Call sim_cache_destroy afterwards, also after a failure.
enum status sim_cache_create(struct sim_cache *cache, uint64_t bytes, uint32_t line_bytes, struct cache_sets sets,
                             struct error *error);
void sim_cache_destroy(struct sim_cache *cache);
void sim_cache_clear(struct sim_cache *cache);

// Returns whether the line is present; afterwards it is.
bool sim_cache_access(struct sim_cache *cache, uint64_t address);

// The same, with a number other than the address to choose the set.
bool sim_cache_access_at(struct sim_cache *cache, uint64_t place, uint64_t address);

#endif
