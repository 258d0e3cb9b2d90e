// The placement of lines in a cache.
#ifndef MODEL_CACHE_SETS_H
#define MODEL_CACHE_SETS_H

#include <stdbool.h>
#include <stdint.h>

struct cache_sets {
    uint32_t ways;         // lines in a set, of which the least recently used is replaced
    bool hashed;           // a hash of the address chooses the set; else neighbouring lines take the sets in turn
    uint32_t groups;       // of sets that share room for their lines; 0: each set has room of its own
    uint32_t group_bytes;  // neighbouring bytes of one group; the next ones belong to the next group
    uint32_t short_groups; // bit i: group i has room for fewer lines than its sets name
    uint32_t short_lines;  // how many fewer; of all its lines the least recently used makes room
};

// The group to which an address belongs; groups must not be 0.
static inline uint64_t cache_sets_group(const struct cache_sets *sets, uint64_t address) {
    return address / sets->group_bytes % sets->groups;
}

// The lines for which a group of a cache of so many lines has room.
static inline uint64_t cache_sets_room(const struct cache_sets *sets, uint64_t lines, uint64_t group) {
    return lines / sets->groups - (sets->short_groups >> group & 1 ? sets->short_lines : 0);
}

// The bytes from address 0 on that a cache holds before a group runs out of room.
uint64_t cache_sets_hold(const struct cache_sets *sets, uint64_t bytes, uint32_t line_bytes);

#endif
