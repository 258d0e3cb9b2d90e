// A cache of lines in sets. The least recently used line of a set makes room for a new one.
#ifndef DEVICE_SIM_CACHE_CACHE_H
#define DEVICE_SIM_CACHE_CACHE_H

#include "model/latency.h"
#include "util/error.h"

struct sim_cache {
    uint64_t *lines; // numbers from 1 on, for each set from the most to the least recently used; 0: free
    uint64_t sets;
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
