// Makes the matrix of distances from the edges, and brings it into the kernels' layout and back. That layout is padded
// with unreachable vertices. In 16 bits 32767 stands for every distance from there up.
// Constants: BITS=16,32
#include "device/kernel/kernel.h"

#define UNREACHABLE 0x3fffffff
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

// Fills `rows` rows of w from row `first` on, which have pitch elements, one thread for each element.
KERNEL void pad(distance_t *RESTRICT w, const int32_t *RESTRICT from, uint32_t pitch, uint32_t first, uint32_t rows,
                uint32_t vertices) {
    const uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, start = (uint64_t)first * pitch;
    const uint32_t row = first + (uint32_t)(index / pitch), column = (uint32_t)(index % pitch);
    if (row < first + rows) {
        const int32_t distance =
            row < vertices && column < vertices ? from[(uint64_t)row * vertices + column] : UNREACHABLE;
        w[start + index] = (distance_t)(distance < FAR ? distance : FAR);
    }
}

// Fills `rows` rows of `to` from row `first` on, which have `vertices` words, one thread for each. In 16 bits *most,
// which must be 0 before, becomes the largest distance below FAR.
KERNEL void unpad(int32_t *RESTRICT to, const distance_t *RESTRICT w, uint32_t pitch, uint32_t first, uint32_t rows,
                  uint32_t vertices, uint32_t *most) {
    const uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, start = (uint64_t)first * vertices;
    const uint32_t row = first + (uint32_t)(index / vertices), column = (uint32_t)(index % vertices);
    if (row < first + rows) {
        const int32_t distance = w[(uint64_t)row * pitch + column];
        to[start + index] = distance < FAR ? distance : UNREACHABLE;
        if (BITS == 16 && distance < FAR && distance > *(volatile int32_t *)(void *)most) {
            atomicMax(most, (uint32_t)distance);
        }
    }
}
