// What is documented of a device's caches: by the table of GPUs, or on the CPU by Linux.
#ifndef LEVELS_CACHES_H
#define LEVELS_CACHES_H

#include "device/device.h"

enum {
    CACHES_MAX = 4
};

struct cache {
    const char *name;    // "L1", "L2", "L3"
    uint64_t bytes;      // that one compute unit reaches
    uint32_t line_bytes; // 0: not known
    uint32_t sharers;    // compute units, or the CPU's threads, that share it; 0: all of them
};

struct caches {
    struct cache levels[CACHES_MAX]; // from the nearest on
    size_t count;                    // 0: nothing is known
};

struct caches caches_of(const struct device_info *info);

// The level that a footprint fits into, "memory" where none holds it, "" where nothing is known.
const char *caches_level(const struct caches *caches, uint64_t footprint_bytes);

// The same where each of so many units goes through so many bytes that no other one does; past_first: not by the first
// level.
const char *caches_level_of_units(const struct caches *caches, double unit_bytes, uint32_t units, bool past_first);

#endif
