// How the CPU's threads share a range. First touch, copies and kernels cut it at the same positions, so that each
// thread works on memory of its node.
#ifndef DEVICE_CPU_SLICE_H
#define DEVICE_CPU_SLICE_H

#include <stdint.h>

#include "util/threads.h"

struct slice {
    uint64_t first, count;
};

// Part index of parts nearly equal parts of [0, total), cut at multiples of 64 so that parts share no cache line.
static inline struct slice cpu_slice(uint64_t total, uint32_t index, uint32_t parts) {
    const uint64_t units = total / 64 + (total % 64 != 0);
    const uint64_t first = units * index / parts * 64;
    const uint64_t end = units * (index + UINT64_C(1)) / parts * 64;
    const uint64_t last = end < total ? end : total;
    return (struct slice){first, last > first ? last - first : 0};
}

// Threads for a range of so many bytes: for few bytes threads cost more than they save.
static inline uint32_t cpu_threads_for(uint64_t bytes) {
    return bytes < 1 << 20 ? 1 : (uint32_t)omp_get_max_threads();
}

#endif
