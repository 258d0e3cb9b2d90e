// The documented caches of a device: from the table of GPUs, or from Linux for the CPU.
#ifndef LEVELS_CACHES_H
#define LEVELS_CACHES_H

#include "device/device.h"

enum {
    CACHES_MAX = 4
};

struct cache {
    const char *name;         // "L1", "L2", "L3"
    uint64_t bytes;           // bytes that one compute unit reaches
    uint32_t line_bytes;      // 0: unknown
    uint32_t sharers;         // number of compute units, or of CPU threads, that share it; 0: all of them
    uint32_t allowed_sharers; // those of them that this process may use; 0: not known
    uint32_t ways;            // 0: not known
};

struct caches {
    struct cache levels[CACHES_MAX]; // from the nearest on
    size_t count;                    // 0: unknown
};

struct caches caches_of(const struct device_info *info);

// How much the units access, and on which path.
struct footprint {
    double unit_bytes; // bytes that only this unit accesses, for each unit
    uint32_t units;
    bool past_first;  // accesses bypass the first level
    bool copied_near; // the near part of the cache keeps copies of lines that belong to the other parts
    bool streamed;    // accessed in order, so that a cache may keep a part as large as itself
};

// Which level answers.
struct answer {
    const char *level;   // "" where several may answer, or where the caches are not known
    double memory_share; // least share of the accesses that memory answers; 0 where the caches may hold everything
    bool mixed;          // several levels may answer
};

struct answer caches_answer(const struct device_info *info, const struct footprint *footprint);

#endif
