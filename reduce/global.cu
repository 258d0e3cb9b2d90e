// The sum of an array in place, without shared memory: the steps of textbooks that begin with global memory
// (Cheng, Grossman, McKercher: Professional CUDA C Programming, 2014, chapter 3).
//
// Each step loads both operands and stores the sum; at the end the first thread stores its block's sum. The host
// launches the kernel on those sums again until one is left. `data` is overwritten.
// Constants: BITS=32 FLOATING=0 BLOCK=512
// Constants: BITS=64 FLOATING=1 BLOCK=64
#include "device/kernel/kernel.h"

// The first element of a block's part of the data, which is `blocks` times blockDim.x elements.
#define FIRST(blocks) ((uint64_t)blockIdx.x * (blocks)*blockDim.x)

// The number of elements in the block's first blockDim.x.
static inline __device__ uint32_t count_from(uint64_t first, uint64_t elements) {
    const uint64_t left = first < elements ? elements - first : 0;
    return left < blockDim.x ? (uint32_t)left : blockDim.x;
}

static inline __device__ void store_sum(const number_t *data, uint32_t count, number_t *sums) {
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = count > 0 ? data[0] : 0;
    }
}

// Neighbours first: the stride doubles. A warp's lanes move further and further apart until each remaining element lies
// in a separate sector, so that a quarter of the moved bytes is used.
KERNEL void global_neighbored(number_t *data, number_t *sums, uint64_t elements) {
    const uint32_t thread = threadIdx.x;
    const uint32_t count = count_from(FIRST(1), elements);
    data += FIRST(1);
    for (uint32_t stride = 1; stride < blockDim.x; stride *= 2) {
        if (thread % (2 * stride) == 0 && thread + stride < count) {
            data[thread] += data[thread + stride];
        }
        __syncthreads();
    }
    store_sum(data, count, sums);
}

// The same sums by consecutive threads: fewer warps diverge, but they touch the same sectors.
KERNEL void global_neighbored_less(number_t *data, number_t *sums, uint64_t elements) {
    const uint32_t count = count_from(FIRST(1), elements);
    data += FIRST(1);
    for (uint32_t stride = 1; stride < blockDim.x; stride *= 2) {
        const uint32_t index = 2 * stride * threadIdx.x;
        if (index + stride < count) {
            data[index] += data[index + stride];
        }
        __syncthreads();
    }
    store_sum(data, count, sums);
}

// Sums the first 2 * from elements of data, of which `count` exist: the stride halves down to `to`, so a warp's lanes
// are neighbours and use whole sectors.
static inline __device__ void add_halves(number_t *data, uint32_t count, uint32_t from, uint32_t to) {
    const uint32_t thread = threadIdx.x;
    for (uint32_t stride = from; stride > to; stride /= 2) {
        if (thread < stride && thread + stride < count) {
            data[thread] += data[thread + stride];
        }
        __syncthreads();
    }
}

KERNEL void global_interleaved(number_t *data, number_t *sums, uint64_t elements) {
    const uint32_t count = count_from(FIRST(1), elements);
    data += FIRST(1);
    add_halves(data, count, blockDim.x / 2, 0);
    store_sum(data, count, sums);
}

// Each thread first adds its elements of several blocks into the first of them. These loads are independent, and fewer
// blocks become idle step by step. The loop's bound is a constant, because not every compiler unrolls a loop whose
// bound it learns only when it inlines the function.
#define MOST_BLOCKS 8
static inline __device__ void add_blocks(number_t *data, uint64_t elements, uint32_t blocks) {
    const uint64_t first = FIRST(blocks) + threadIdx.x;
    if (first + (uint64_t)(blocks - 1) * blockDim.x < elements) {
        number_t sum = 0;
#pragma unroll
        for (uint32_t block = 0; block < MOST_BLOCKS; block++) {
            if (block < blocks) {
                sum += data[first + (uint64_t)block * blockDim.x];
            }
        }
        data[first] = sum;
    } else if (first < elements) {
        number_t sum = data[first];
        for (uint64_t i = first + blockDim.x; i < elements; i += blockDim.x) {
            sum += data[i];
        }
        data[first] = sum;
    }
    __syncthreads();
}

static inline __device__ void sum_blocks(number_t *data, number_t *sums, uint64_t elements, uint32_t blocks) {
    const uint32_t count = count_from(FIRST(blocks), elements);
    add_blocks(data, elements, blocks);
    data += FIRST(blocks);
    add_halves(data, count, blockDim.x / 2, 0);
    store_sum(data, count, sums);
}

KERNEL void global_unroll2(number_t *data, number_t *sums, uint64_t elements) {
    sum_blocks(data, sums, elements, 2);
}

KERNEL void global_unroll4(number_t *data, number_t *sums, uint64_t elements) {
    sum_blocks(data, sums, elements, 4);
}

KERNEL void global_unroll8(number_t *data, number_t *sums, uint64_t elements) {
    sum_blocks(data, sums, elements, 8);
}

// One warp adds the last 2 * WARP_WIDTH elements without a block barrier, a test or a loop: lanes past the stride
// compute unused sums. Each lane reads before any lane writes, hence two warp barriers.
static inline __device__ void add_last_warp(number_t *data) {
    const uint32_t thread = threadIdx.x;
#pragma unroll
    for (uint32_t stride = WARP_WIDTH; stride > 0; stride /= 2) {
        const number_t both = data[thread] + data[thread + stride];
        warp_barrier();
        data[thread] = both;
        warp_barrier();
    }
}

// Unrolls the last warp if the elements fill two warps, that is not in a small block or in the last one.
#define ADD_UNROLLED(data, count, unrolled)                                                                            \
    if ((count) < 2 * WARP_WIDTH) {                                                                                    \
        add_halves(data, count, blockDim.x / 2, 0);                                                                    \
    } else {                                                                                                           \
        unrolled;                                                                                                      \
        if (threadIdx.x < WARP_WIDTH) {                                                                                \
            add_last_warp(data);                                                                                       \
        }                                                                                                              \
    }

KERNEL void global_unroll8_warp(number_t *data, number_t *sums, uint64_t elements) {
    const uint32_t count = count_from(FIRST(8), elements);
    add_blocks(data, elements, 8);
    data += FIRST(8);
    ADD_UNROLLED(data, count, add_halves(data, count, blockDim.x / 2, WARP_WIDTH))
    store_sum(data, count, sums);
}

// One step of a block of block_size threads, if it has that step.
#define HALVE(block_size, stride)                                                                                      \
    if ((block_size) >= 2 * (stride) && (stride) > WARP_WIDTH) {                                                       \
        if (threadIdx.x < (stride) && threadIdx.x + (stride) < count) {                                                \
            data[threadIdx.x] += data[threadIdx.x + (stride)];                                                         \
        }                                                                                                              \
        __syncthreads();                                                                                               \
    }
#define HALVE_ALL(block_size) HALVE(block_size, 512) HALVE(block_size, 256) HALVE(block_size, 128) HALVE(block_size, 64)

// All steps unrolled: no loop, but each step asks whether the block has it.
KERNEL void global_unroll8_full(number_t *data, number_t *sums, uint64_t elements) {
    const uint32_t count = count_from(FIRST(8), elements);
    add_blocks(data, elements, 8);
    data += FIRST(8);
    ADD_UNROLLED(data, count, HALVE_ALL(blockDim.x))
    store_sum(data, count, sums);
}

// The block's size is a compile-time constant, so those tests disappear as well.
KERNEL void global_unroll8_const(number_t *data, number_t *sums, uint64_t elements) {
    const uint32_t count = count_from(FIRST(8), elements);
    add_blocks(data, elements, 8);
    data += FIRST(8);
    ADD_UNROLLED(data, count, HALVE_ALL(BLOCK))
    store_sum(data, count, sums);
}
