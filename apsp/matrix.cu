// The matrix of distances on its way into the kernels' layout and back: padded with vertices that nobody reaches.
#include "device/kernel.h"

#define UNREACHABLE 0x3fffffff

// A thread an element of w, which has `rows` rows of pitch words.
KERNEL void pad(int32_t *RESTRICT w, const int32_t *RESTRICT from, uint32_t pitch, uint32_t rows, uint32_t vertices) {
    const uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t row = (uint32_t)(index / pitch), column = (uint32_t)(index % pitch);
    if (row < rows) {
        w[index] = row < vertices && column < vertices ? from[(uint64_t)row * vertices + column] : UNREACHABLE;
    }
}

// A thread an element of `to`, which has vertices rows of as many words.
KERNEL void unpad(int32_t *RESTRICT to, const int32_t *RESTRICT w, uint32_t pitch, uint32_t vertices) {
    const uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t row = (uint32_t)(index / vertices), column = (uint32_t)(index % vertices);
    if (row < vertices) {
        to[index] = w[(uint64_t)row * pitch + column];
    }
}
