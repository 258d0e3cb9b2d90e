// Makes the matrix of distances from the edges, and brings it into the kernels' layout and back. That layout is padded
// with unreachable vertices. In 16 bits 32767 stands for every distance from there up.
// Constants: BITS=16,32
#include "device/kernel/kernel.h"

#include "apsp/kernels/matrix.h"

#if BITS == 16
typedef uint16_t distance_t;
#define FAR 0x7fff
#else
typedef int32_t distance_t;
#define FAR UNREACHABLE
#endif

// Makes the matrix of a graph without edges: `rows` rows of pitch words, one thread for each element.
KERNEL void clear(int32_t *to, uint32_t pitch, uint32_t rows) {
    const uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t row = (uint32_t)(index / pitch), column = (uint32_t)(index % pitch);
    if (row < rows) {
        to[index] = row == column ? 0 : UNREACHABLE;
    }
}

// Adds the edges, three words each: from, to, weight. One thread adds one edge. Of repeated edges the lightest counts.
// The lanes of a warp write to unrelated elements, so each touches a separate sector.
KERNEL void scatter(int32_t *to, uint32_t pitch, const int32_t *RESTRICT edges, uint64_t count) {
    const uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) {
        const int32_t *edge = edges + 3 * index;
        atomicMin(&to[(uint64_t)edge[0] * pitch + (uint32_t)edge[1]], edge[2]);
    }
}

// A block of pad or unpad has elements of one row, ITEMS of them for each thread, so that few blocks have to start.
#define ITEMS 4
#define FIRST_COLUMN(blocks) (blockIdx.x % (blocks)*ITEMS * blockDim.x + threadIdx.x)

static __device__ __forceinline__ uint32_t blocks_of_row(uint32_t columns) {
    return (columns + ITEMS * blockDim.x - 1) / (ITEMS * blockDim.x);
}

// Fills `rows` rows of w from row `first` on, which have pitch elements.
KERNEL void pad(distance_t *RESTRICT w, const int32_t *RESTRICT from, uint32_t pitch, uint32_t first, uint32_t rows,
                uint32_t vertices) {
    const uint32_t blocks = blocks_of_row(pitch), row = first + blockIdx.x / blocks, column = FIRST_COLUMN(blocks);
    int32_t distance[ITEMS];
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint32_t at = column + i * blockDim.x;
        distance[i] = row < vertices && at < vertices ? from[(uint64_t)row * vertices + at] : UNREACHABLE;
    }
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint32_t at = column + i * blockDim.x;
        if (row < first + rows && at < pitch) {
            w[(uint64_t)row * pitch + at] = (distance_t)(distance[i] < FAR ? distance[i] : FAR);
        }
    }
}

// Likewise fills rows of `to`, which have `vertices` words. In 16 bits *too_far, which must be 0 before, becomes 1 if a
// distance below FAR is at least `limit`. The usual graph has none, so that no warp waits for a word that all share.
KERNEL void unpad(int32_t *RESTRICT to, const distance_t *RESTRICT w, uint32_t pitch, uint32_t first, uint32_t rows,
                  uint32_t vertices, int32_t limit, uint32_t *too_far) {
    const uint32_t blocks = blocks_of_row(vertices), row = first + blockIdx.x / blocks, column = FIRST_COLUMN(blocks);
    int32_t distance[ITEMS];
    uint32_t reached = 0;
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint32_t at = column + i * blockDim.x;
        distance[i] = row < first + rows && at < vertices ? w[(uint64_t)row * pitch + at] : FAR;
    }
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint32_t at = column + i * blockDim.x;
        if (row < first + rows && at < vertices) {
            to[(uint64_t)row * vertices + at] = distance[i] < FAR ? distance[i] : UNREACHABLE;
        }
        reached |= distance[i] >= limit && distance[i] < FAR;
    }
    if (BITS == 16 && reached) {
        *too_far = 1;
    }
}
