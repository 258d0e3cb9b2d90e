// Atomic additions to global memory: their cost if all threads add to one address, to one line, or to separate
// addresses.
//
// Element i adds 1 to targets[i & mask]. With a mask of 0 all additions share one address, where they take turns; with
// a mask of one line each lane has a separate address, and whole warps take turns; with all bits set no two share an
// address. The mask is no constant, so that a compiler cannot combine a warp's additions.
//
// Constants: WIDTH=4 BITS=32 ITEMS=16 FLOATING=0,1
// Constants: WIDTH=8 BITS=64 ITEMS=8 FLOATING=0,1
#include "device/kernel/kernel.h"

#define FIRST_ELEMENT ((uint64_t)blockIdx.x * blockDim.x * ITEMS + threadIdx.x)

// Nothing uses the previous value, so the GPU need not wait for it.
KERNEL void atomic_add(number_t *RESTRICT targets, uint64_t elements, uint64_t mask) {
    const uint64_t first = FIRST_ELEMENT;
    for (uint64_t item = 0, i = first; item < ITEMS && i < elements; item++, i += blockDim.x) {
        atomicAdd(targets + (i & mask), (number_t)1);
    }
}

// Each warp sums the previous values: sink holds a 64-bit word for each warp of the grid.
KERNEL void atomic_fetch_add(number_t *RESTRICT targets, uint64_t *RESTRICT sink, uint64_t elements, uint64_t mask) {
    const uint64_t first = FIRST_ELEMENT;
    uint64_t sum = 0;
    if (first + (uint64_t)(ITEMS - 1) * blockDim.x < elements) {
        number_t before[ITEMS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            before[item] = atomicAdd(targets + ((first + (uint64_t)item * blockDim.x) & mask), (number_t)1);
        }
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            sum += (uint64_t)before[item];
        }
    } else {
        for (uint64_t i = first; i < elements; i += blockDim.x) {
            sum += (uint64_t)atomicAdd(targets + (i & mask), (number_t)1);
        }
    }
    FOLD_WARP(sum, +=);
    if (threadIdx.x % WARP_WIDTH == 0) {
        sink[((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP_WIDTH] = sum;
    }
}
