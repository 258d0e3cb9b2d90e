// The harness's kernels, launched in addition to a probe's.
#include "device/kernel/kernel.h"

// Does nothing, so that its time is the overhead of a launch.
KERNEL void empty(void) {}

// Measures the clock that the device runs at: one thread counts cycles over `ticks` of the constant-rate timer. The
// interval begins and ends on an edge of the timer, because it may tick coarsely. result: cycles, ticks.
KERNEL void measure_clock(uint64_t *RESTRICT result, uint64_t ticks) {
    uint64_t edge = time_counter();
    uint64_t start = edge;
    while (start == edge) {
        start = time_counter();
    }
    const uint64_t first_cycle = cycle_counter();
    uint64_t now = start;
    while (now - start < ticks) {
        now = time_counter();
    }
    result[0] = cycles_since(first_cycle);
    result[1] = now - start;
}

// Evicts everything else from the last-level cache, if the words are larger than the cache.
KERNEL void flush_cache(uint64_t *RESTRICT words, uint64_t count) {
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        words[i] += 1;
    }
}

// Reads words once; its time tells whether they were in the cache. sink holds one word per thread.
KERNEL void probe_read(const uint64_t *RESTRICT words, uint64_t count, uint64_t *RESTRICT sink) {
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t checksum = 0;
    for (uint64_t i = thread; i < count; i += threads) {
        checksum ^= words[i];
    }
    sink[thread] = checksum;
}

// words[i] = mix64(seed + i): random data that the host can recompute. The bits outside of keep come from set.
KERNEL void fill_random(uint64_t *RESTRICT words, uint64_t count, uint64_t seed, uint64_t keep, uint64_t set) {
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        words[i] = (mix64(seed + i) & keep) | set;
    }
}
