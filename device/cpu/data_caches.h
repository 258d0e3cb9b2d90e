// The data caches of this machine's processor, from Linux.
#ifndef DEVICE_CPU_DATA_CACHES_H
#define DEVICE_CPU_DATA_CACHES_H

#include <stddef.h>
#include <stdint.h>

enum {
    CPU_CACHES_MAX = 4
};

struct cpu_cache {
    uint32_t level; // 1, 2, ...
    uint64_t bytes;
    uint32_t line_bytes, ways;
    uint32_t sharers;         // processors that share it, including those that this process may not use
    uint32_t allowed_sharers; // those that it may use
};

// Describes the caches of the first processor that this process may use, from the nearest on; returns their number.
size_t cpu_data_caches(struct cpu_cache caches[CPU_CACHES_MAX]);

#endif
