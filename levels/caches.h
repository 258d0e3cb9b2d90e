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

// Who goes through how much, and by which path.
struct footprint {
    double unit_bytes; // that each unit goes through and no other one does
    uint32_t units;
    bool past_first;  // not by the first level
    bool copied_near; // a part of the cache that is near keeps copies of what belongs to the other ones
    bool streamed;    // in turn rather than at random: a cache may keep a share of it as large as itself
};

// Which level answers.
struct answer {
    const char *level;   // "" where it may be several, or where nothing is known of the caches
    double memory_share; // of the accesses that memory answers at least: 0 where the caches may hold it all
    bool mixed;          // it may be several
};

struct answer caches_answer(const struct caches *caches, const struct footprint *footprint);

#endif
