// Accesses that a compiler would merge, split or drop if it could: test_kernels.sh counts the resulting instructions.
// Constants: WIDTH=1,2,4,8,16
#include "device/kernel/kernel.h"

// Four neighbours: loads 4, stores 4 of WIDTH bytes.
KERNEL void copy_neighbours(const word_t *RESTRICT source, word_t *RESTRICT destination) {
    const uint64_t first = 4 * ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x);
    word_t value[4];
    for (int i = 0; i < 4; i++) {
        value[i] = load_global(source + first + i);
    }
    for (int i = 0; i < 4; i++) {
        store_global(destination + first + i, value[i]);
    }
}

// Four addresses far apart: loads 4 of WIDTH bytes, all in flight before the first wait.
KERNEL void read_apart(const word_t *RESTRICT source, uint64_t *RESTRICT sink, uint64_t stride) {
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    word_t value[4];
    for (int i = 0; i < 4; i++) {
        value[i] = load_global(source + thread + i * stride);
    }
    uint32_t sum = 0;
    for (int i = 0; i < 4; i++) {
        sum = sum * 3 + word_fold(value[i]);
    }
    sink[thread] = sum;
}

// Shared memory: stores 4, loads 4 of WIDTH bytes, none of them merged with its neighbour.
KERNEL void shared_neighbours(uint64_t *RESTRICT sink) {
    __shared__ word_t tile[1024];
    for (uint32_t i = 0; i < 4; i++) {
        store_shared(&tile[4 * threadIdx.x + i], word_from_u64(threadIdx.x + i));
    }
    __syncthreads();
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 4; i++) {
        sum += word_fold(load_shared(&tile[4 * (threadIdx.x ^ 1) + i]));
    }
    sink[threadIdx.x] = sum;
}

// The same address four times: stores 4, loads 4 of WIDTH bytes.
KERNEL void shared_again(uint64_t *RESTRICT sink) {
    __shared__ word_t tile[256];
    for (uint32_t i = 0; i < 4; i++) {
        store_shared(&tile[threadIdx.x], word_from_u64(threadIdx.x + i));
    }
    __syncthreads();
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 4; i++) {
        sum += word_fold(load_shared(&tile[threadIdx.x ^ 1]));
    }
    sink[threadIdx.x] = sum;
}
