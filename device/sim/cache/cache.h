// A cache of lines in sets. The least recently used line of a set makes room for a new one.
#ifndef DEVICE_SIM_CACHE_CACHE_H
#define DEVICE_SIM_CACHE_CACHE_H

#include "model/latency.h"
#include "util/error.h"

struct sim_cache {
    uint64_t *lines; // numbers from 1 on, of each set from the last used to the first; 0: free
    uint64_t sets;
    uint32_t line_bytes;
    struct cache_sets of;
};

// bytes 0: a cache that holds nothing. Call sim_cache_destroy after it, also where it fails.
enum status sim_cache_create(struct sim_cache *cache, uint64_t bytes, uint32_t line_bytes, struct cache_sets sets,
                             struct error *error);
void sim_cache_destroy(struct sim_cache *cache);
void sim_cache_clear(struct sim_cache *cache);

// Whether the line is there; afterwards it is.
bool sim_cache_access(struct sim_cache *cache, uint64_t address);

// The same where another number than the address chooses the set.
bool sim_cache_access_at(struct sim_cache *cache, uint64_t place, uint64_t address);

#endif
