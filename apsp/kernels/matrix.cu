// The matrix of distances: made of the edges; on its way into the kernels' layout and back, padded with vertices that
// nobody reaches, and perhaps in 16 bits, where 32767 stands for everything as far or farther.
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

// A thread an element of `to`, which has `rows` rows of pitch words: no edges yet.
KERNEL void clear(int32_t *to, uint32_t pitch, uint32_t rows) {
    const uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t row = (uint32_t)(index / pitch), column = (uint32_t)(index % pitch);
    if (row < rows) {
        to[index] = row == column ? 0 : UNREACHABLE;
    }
}

// A thread an edge, three words: from, to, weight. Repeated edges meet in one element, and the lightest counts. The
// lanes of a warp write where their edges happen to lead: a sector each.
KERNEL void scatter(int32_t *to, uint32_t pitch, const int32_t *RESTRICT edges, uint64_t count) {
    const uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) {
        const int32_t *edge = edges + 3 * index;
        atomicMin(&to[(uint64_t)edge[0] * pitch + (uint32_t)edge[1]], edge[2]);
    }
}

// A thread an element of w, which has `rows` rows of pitch elements.
KERNEL void pad(distance_t *RESTRICT w, const int32_t *RESTRICT from, uint32_t pitch, uint32_t rows,
                uint32_t vertices) {
    const uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t row = (uint32_t)(index / pitch), column = (uint32_t)(index % pitch);
    if (row < rows) {
        const int32_t distance =
            row < vertices && column < vertices ? from[(uint64_t)row * vertices + column] : UNREACHABLE;
        w[index] = (distance_t)(distance < FAR ? distance : FAR);
    }
}

// A thread an element of `to`, which has vertices rows of as many words. most, 0 before, becomes the largest distance
// below FAR; at 32 bits it stays.
KERNEL void unpad(int32_t *RESTRICT to, const distance_t *RESTRICT w, uint32_t pitch, uint32_t vertices,
                  uint32_t *most) {
    const uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t row = (uint32_t)(index / vertices), column = (uint32_t)(index % vertices);
    if (row < vertices) {
        const int32_t distance = w[(uint64_t)row * pitch + column];
        to[index] = distance < FAR ? distance : UNREACHABLE;
        if (BITS == 16 && distance < FAR && distance > *(volatile int32_t *)(void *)most) {
            atomicMax(most, (uint32_t)distance);
        }
    }
}
