// Copies panels of a matrix that several ranks share between a rank's layout and the layout of messages.
#include "device/kernel/kernel.h"

#include "apsp/kernels/matrix.h"

// Copies rows of `quads` times 16 bytes. Each thread copies 16 bytes. The pitches count words and are multiples of 4.
KERNEL void copy_panel(quad *to, const quad *from, uint32_t to_pitch, uint32_t from_pitch, uint32_t rows,
                       uint32_t quads) {
    const uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t row = index / quads, column = index % quads;
    if (row < rows) {
        to[row * (to_pitch / 4) + column] = from[row * (from_pitch / 4) + column];
    }
}
