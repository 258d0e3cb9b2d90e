// Makes the indices of gathers and scatters on a GPU, and checks there what these have done, because the host would
// take seconds for gigabytes.
//
// Constants: WIDTH=1,2,4,8,16
#include "device/kernel/kernel.h"

#define THREADS ((uint64_t)gridDim.x * blockDim.x)
#define THREAD ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x)

// permute of gmem_index.c: a permutation of [0, count) that the seed selects.
static __device__ __forceinline__ uint64_t permute(uint64_t i, uint64_t count, uint64_t seed) {
    if (count < 2) {
        return 0;
    }
    const uint64_t key = mix64(seed);
    uint64_t mask = count - 1;
    for (uint32_t shift = 1; shift < 64; shift *= 2) {
        mask |= mask >> shift;
    }
    const uint32_t half = ((uint32_t)__popcll(mask) + 1) / 2;
    do {
        for (uint32_t round = 0; round < 3; round++) {
            i = (i * (key >> (11 * round) | 1) + (key >> (17 * round))) & mask;
            i ^= i >> half;
        }
    } while (i >= count);
    return i;
}

// The indices of gmem_index_at without a pattern, and their sum.
KERNEL void make_indices(uint32_t *RESTRICT indices, uint64_t elements, uint64_t window, uint64_t seed,
                         unsigned long long *RESTRICT sum) {
    unsigned long long mine = 0;
    for (uint64_t i = THREAD; i < elements; i += THREADS) {
        const uint64_t number = i / window, start = number * window, left = elements - start;
        const uint64_t index = start + permute(i - start, left < window ? left : window, seed + number);
        indices[i] = (uint32_t)index;
        mine += index;
    }
    atomicAdd(sum, mine);
}

// The sum of gather in indexed.cu, from the words with which harness.cu's fill_random has filled the source.
KERNEL void expect_gather(const uint32_t *RESTRICT indices, uint64_t elements, uint64_t seed,
                          unsigned long long *RESTRICT sum) {
    uint32_t mine = 0;
    for (uint64_t i = THREAD; i < elements; i += THREADS) {
        const uint64_t byte = (uint64_t)indices[i] * WIDTH;
#if WIDTH == 16
        const uint64_t both = mix64(seed + byte / 8) ^ mix64(seed + byte / 8 + 1);
        const uint32_t folded = (uint32_t)both ^ (uint32_t)(both >> 32);
#else
        const uint32_t folded = word_fold((word_t)(mix64(seed + byte / 8) >> (8 * (byte % 8))));
#endif
        mine += folded * (2 * (uint32_t)i + 1);
    }
    atomicAdd(sum, (unsigned long long)mine);
}

static __device__ __forceinline__ int differ(word_t a, word_t b) {
#if WIDTH == 16
    return a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w;
#else
    return a != b;
#endif
}

// Counts the elements of a scatter that are wrong in the destination. Each slot belongs to one element.
KERNEL void check_scatter(const word_t *RESTRICT destination, const uint32_t *RESTRICT indices, uint64_t elements,
                          uint64_t seed, unsigned long long *RESTRICT wrong) {
    for (uint64_t i = THREAD; i < elements; i += THREADS) {
        if (differ(destination[indices[i]], word_from_u64(pattern64(seed + i)))) {
            atomicAdd(wrong, 1ull);
        }
    }
}

KERNEL void check_gather_scatter(const word_t *RESTRICT source, const word_t *RESTRICT destination,
                                 const uint32_t *RESTRICT gather_indices, const uint32_t *RESTRICT scatter_indices,
                                 uint64_t elements, unsigned long long *RESTRICT wrong) {
    for (uint64_t i = THREAD; i < elements; i += THREADS) {
        if (differ(destination[scatter_indices[i]], source[gather_indices[i]])) {
            atomicAdd(wrong, 1ull);
        }
    }
}
