// Accesses by index: a gather loads source[index], a scatter stores to destination[index].
//
// A thread handles ITEMS elements a block's width apart. It reads their indices contiguously, so only the positions of
// the data differ from read, write and copy: the lanes of a warp touch up to WARP_WIDTH separate sectors, each of which
// yields WIDTH useful bytes, unless a cache still holds the rest when a neighbour loads it.
//
// PATTERN is the number of indices if they repeat: element i is then at
// indices[i % PATTERN] + delta * (i / PATTERN). It is 0 if each element has a separate index.
//
// Constants: WIDTH=1,2,4 ITEMS=16 PATTERN=0,12
// Constants: WIDTH=8 ITEMS=8 PATTERN=0,12
// Constants: WIDTH=16 ITEMS=4 PATTERN=0,12
#include "device/kernel/kernel.h"

#define FIRST_ELEMENT ((uint64_t)blockIdx.x * blockDim.x * ITEMS + threadIdx.x)

// There are fewer than 2^32 elements.
static __device__ __forceinline__ uint64_t place(const uint32_t *indices, uint64_t delta, uint32_t i) {
#if PATTERN
    return indices[i % PATTERN] + delta * (i / PATTERN);
#else
    (void)delta;
    return indices[i];
#endif
}

// Each element is weighted by its number, so that a wrong order changes the sum.
static __device__ __forceinline__ uint32_t weighed(word_t word, uint64_t i) {
    return word_fold(word) * (2 * (uint32_t)i + 1);
}

// Each warp sums its elements: sink holds a word for each warp of the grid.
// Useful bytes: elements * WIDTH.
KERNEL void gather(const word_t *RESTRICT source, const uint32_t *RESTRICT indices, uint32_t *RESTRICT sink,
                   uint64_t elements, uint64_t delta) {
    const uint64_t first = FIRST_ELEMENT;
    uint32_t sum = 0;
    if (first + (uint64_t)(ITEMS - 1) * blockDim.x < elements) {
        uint64_t from[ITEMS];
        word_t value[ITEMS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            from[item] = place(indices, delta, (uint32_t)(first + (uint64_t)item * blockDim.x));
        }
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            value[item] = load_global(source + from[item]);
        }
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            sum += weighed(value[item], first + (uint64_t)item * blockDim.x);
        }
    } else {
        for (uint64_t i = first; i < elements; i += blockDim.x) {
            sum += weighed(load_global(source + place(indices, delta, (uint32_t)i)), i);
        }
    }
    FOLD_WARP(sum, +=);
    if (threadIdx.x % WARP_WIDTH == 0) {
        sink[((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP_WIDTH] = sum;
    }
}

// Element i is word_from_u64(pattern64(seed + i)), as in stride_write.
// Useful bytes: elements * WIDTH.
KERNEL void scatter(word_t *RESTRICT destination, const uint32_t *RESTRICT indices, uint64_t elements, uint64_t delta,
                    uint64_t seed) {
    const uint64_t first = FIRST_ELEMENT;
    if (first + (uint64_t)(ITEMS - 1) * blockDim.x < elements) {
        uint64_t to[ITEMS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            to[item] = place(indices, delta, (uint32_t)(first + (uint64_t)item * blockDim.x));
        }
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            const uint64_t i = first + (uint64_t)item * blockDim.x;
            store_global(destination + to[item], word_from_u64(pattern64(seed + i)));
        }
        return;
    }
    for (uint64_t i = first; i < elements; i += blockDim.x) {
        store_global(destination + place(indices, delta, (uint32_t)i), word_from_u64(pattern64(seed + i)));
    }
}

// destination[scatter index] = source[gather index].
// Useful bytes: 2 * elements * WIDTH, one read and one write.
KERNEL void gather_scatter(const word_t *RESTRICT source, word_t *RESTRICT destination,
                           const uint32_t *RESTRICT gather_indices, const uint32_t *RESTRICT scatter_indices,
                           uint64_t elements, uint64_t gather_delta, uint64_t scatter_delta) {
    const uint64_t first = FIRST_ELEMENT;
    if (first + (uint64_t)(ITEMS - 1) * blockDim.x < elements) {
        uint64_t from[ITEMS], to[ITEMS];
        word_t value[ITEMS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            const uint32_t i = (uint32_t)(first + (uint64_t)item * blockDim.x);
            from[item] = place(gather_indices, gather_delta, i);
            to[item] = place(scatter_indices, scatter_delta, i);
        }
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            value[item] = load_global(source + from[item]);
        }
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            store_global(destination + to[item], value[item]);
        }
        return;
    }
    for (uint64_t i = first; i < elements; i += blockDim.x) {
        store_global(destination + place(scatter_indices, scatter_delta, (uint32_t)i),
                     load_global(source + place(gather_indices, gather_delta, (uint32_t)i)));
    }
}
