// Kernels for the far side of a link: copies whose loads or stores cross it, a chase through its memory, and the data
// that transfers are checked with.
//
// Constants: WIDTH=16 ITEMS=8 THREADS=512
#include "device/kernel/kernel.h"

// ---- Copies: source or destination is the host's memory or another device's ----

#if WIDTH == 16
#define CHUNK ((uint64_t)ITEMS * THREADS)

// A thread has ITEMS words in flight before it stores the first, because a link's latency is long. Blocks take chunks
// in turn. Useful bytes: WIDTH * words, each of which crosses the link once.
KERNEL void link_copy(const word_t *RESTRICT from, word_t *RESTRICT to, uint64_t words) {
#pragma unroll 1
    for (uint64_t first = blockIdx.x * CHUNK; first < words; first += gridDim.x * CHUNK) {
        const uint64_t at = first + threadIdx.x;
        if (first + CHUNK <= words) {
            word_t value[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                value[i] = load_global(from + at + i * THREADS);
            }
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                store_global(to + at + i * THREADS, value[i]);
            }
        } else {
            for (uint64_t word = at; word < words; word += THREADS) {
                store_global(to + word, load_global(from + word));
            }
        }
    }
}
#endif

// ---- Latency: each element holds the address of the next, so that a load waits for the one before ----

// One block continues from the address in *at, and stores the address where it ends there.
KERNEL void link_chase(const void **RESTRICT at, uint32_t steps, uint32_t block) {
    if (blockIdx.x != block) {
        return;
    }
    const void *element = *at;
#pragma unroll 32
    for (uint32_t step = 0; step < steps; step++) {
        element = *(const void *const volatile *)element;
    }
    *at = element;
}

// ---- Data: word i is mix64(seed + i) ----

KERNEL void link_fill(uint64_t *RESTRICT words, uint64_t count, uint64_t seed) {
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        words[i] = mix64(seed + i);
    }
}

// Adds the number of wrong words to *wrong.
KERNEL void link_check(const uint64_t *RESTRICT words, uint64_t count, uint64_t seed, uint64_t *RESTRICT wrong) {
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    uint64_t found = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        found += words[i] != mix64(seed + i);
    }
    if (found > 0) {
        atomicAdd(wrong, found);
    }
}
