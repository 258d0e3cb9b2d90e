// The sum of an array in ten steps: eight through shared memory, as courses have taught them since 2007 (Mark Harris,
// "Optimizing parallel reduction in CUDA"), then two for today's parts.
//
// A block of steps 1 to 8 sums its tile of `in` and stores one value; the host launches the kernel on those values
// again until one is left. Useful bytes of each kernel: elements * sizeof(number_t), read once. Constants besides the
// type (device/kernel/kernel.h): BLOCK, threads per block, a power of two from one warp up; ITEMS, 16-byte loads in
// flight in a thread of `vector_sum` and the kernels after it; REDUX, whether one instruction sums a warp.
//
// Constants: WIDTH=16 BITS=32 FLOATING=0 BLOCK=512 ITEMS=4 REDUX=0
// Constants: WIDTH=16 BITS=32 FLOATING=1 BLOCK=64 ITEMS=8 REDUX=0
// Constants: WIDTH=16 BITS=64 FLOATING=0 BLOCK=128 ITEMS=4 REDUX=0
// Constants: WIDTH=16 BITS=64 FLOATING=1 BLOCK=1024 ITEMS=4 REDUX=0
#include "device/kernel/kernel.h"

static inline __device__ number_t element(const number_t *in, uint64_t i, uint64_t elements) {
    return i < elements ? in[i] : 0;
}

// Step 1. Neighbours first: the stride doubles, and every 2 * stride-th thread adds. The working threads are spread
// over all warps, so every warp executes every step with fewer and fewer active lanes.
KERNEL void interleaved_modulo(const number_t *RESTRICT in, number_t *RESTRICT sums, uint64_t elements) {
    DYNAMIC_SHARED(number_t, sum);
    const uint32_t thread = threadIdx.x;
    sum[thread] = element(in, (uint64_t)blockIdx.x * blockDim.x + thread, elements);
    __syncthreads();
    for (uint32_t stride = 1; stride < blockDim.x; stride *= 2) {
        if (thread % (2 * stride) == 0) {
            sum[thread] += sum[thread + stride];
        }
        __syncthreads();
    }
    if (thread == 0) {
        sums[blockIdx.x] = sum[0];
    }
}

// Step 2. The same sums by consecutive threads: whole warps work or rest, so more lanes are active. But lanes now
// access elements 2 * stride apart, which share banks, with twice as many conflicts in each step.
KERNEL void interleaved_strided(const number_t *RESTRICT in, number_t *RESTRICT sums, uint64_t elements) {
    DYNAMIC_SHARED(number_t, sum);
    const uint32_t thread = threadIdx.x;
    sum[thread] = element(in, (uint64_t)blockIdx.x * blockDim.x + thread, elements);
    __syncthreads();
    for (uint32_t stride = 1; stride < blockDim.x; stride *= 2) {
        const uint32_t index = 2 * stride * thread;
        if (index < blockDim.x) {
            sum[index] += sum[index + stride];
        }
        __syncthreads();
    }
    if (thread == 0) {
        sums[blockIdx.x] = sum[0];
    }
}

// Step 3. The stride halves instead, so that lanes access neighbours and no banks conflict.
KERNEL void sequential(const number_t *RESTRICT in, number_t *RESTRICT sums, uint64_t elements) {
    DYNAMIC_SHARED(number_t, sum);
    const uint32_t thread = threadIdx.x;
    sum[thread] = element(in, (uint64_t)blockIdx.x * blockDim.x + thread, elements);
    __syncthreads();
    for (uint32_t stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            sum[thread] += sum[thread + stride];
        }
        __syncthreads();
    }
    if (thread == 0) {
        sums[blockIdx.x] = sum[0];
    }
}

// Step 4. Half the threads rested from the first step on. Now each adds two elements while it loads, so half as many
// blocks do the same work, with half of all steps, barriers and branches.
KERNEL void first_add(const number_t *RESTRICT in, number_t *RESTRICT sums, uint64_t elements) {
    DYNAMIC_SHARED(number_t, sum);
    const uint32_t thread = threadIdx.x;
    const uint64_t i = (uint64_t)blockIdx.x * 2 * blockDim.x + thread;
    sum[thread] = element(in, i, elements) + element(in, i + blockDim.x, elements);
    __syncthreads();
    for (uint32_t stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            sum[thread] += sum[thread + stride];
        }
        __syncthreads();
    }
    if (thread == 0) {
        sums[blockIdx.x] = sum[0];
    }
}

// One warp sums the first 2 * WARP_WIDTH values, or WARP_WIDTH in a block of one warp. Lanes past the stride compute
// unused sums, which is cheaper than a branch. (The host allocates what they read.) Old texts omit the warp barriers,
// because warps ran in lockstep; since Volta lanes are independent threads, and compilers never guaranteed it. Each
// lane reads before any lane writes, hence two barriers.
static inline __device__ void add_last_warp(number_t *sum, uint32_t block) {
    const uint32_t thread = threadIdx.x;
#pragma unroll
    for (uint32_t stride = WARP_WIDTH; stride > 0; stride /= 2) {
        if (2 * stride <= block) {
            const number_t both = sum[thread] + sum[thread + stride];
            warp_barrier();
            sum[thread] = both;
            warp_barrier();
        }
    }
}

// Step 5. The last warp needs no block barrier, no test and no loop.
KERNEL void unroll_last_warp(const number_t *RESTRICT in, number_t *RESTRICT sums, uint64_t elements) {
    DYNAMIC_SHARED(number_t, sum);
    const uint32_t thread = threadIdx.x;
    const uint64_t i = (uint64_t)blockIdx.x * 2 * blockDim.x + thread;
    sum[thread] = element(in, i, elements) + element(in, i + blockDim.x, elements);
    __syncthreads();
    for (uint32_t stride = blockDim.x / 2; stride > WARP_WIDTH; stride /= 2) {
        if (thread < stride) {
            sum[thread] += sum[thread + stride];
        }
        __syncthreads();
    }
    if (thread < WARP_WIDTH) {
        add_last_warp(sum, blockDim.x);
    }
    if (thread == 0) {
        sums[blockIdx.x] = sum[0];
    }
}

// Sums a block's BLOCK values. The compiler decides the tests of BLOCK, so only those of a thread's number are left.
#define HALVE(stride)                                                                                                  \
    if (BLOCK >= 2 * (stride) && (stride) > WARP_WIDTH) {                                                              \
        if (threadIdx.x < (stride)) {                                                                                  \
            sum[threadIdx.x] += sum[threadIdx.x + (stride)];                                                           \
        }                                                                                                              \
        __syncthreads();                                                                                               \
    }
static inline __device__ void add_block(number_t *sum) {
    HALVE(512)
    HALVE(256)
    HALVE(128)
    HALVE(64)
    if (threadIdx.x < WARP_WIDTH) {
        add_last_warp(sum, BLOCK);
    }
}

// Step 6. The block's size is a compile-time constant, so no loop is left.
KERNEL void unroll_full(const number_t *RESTRICT in, number_t *RESTRICT sums, uint64_t elements) {
    DYNAMIC_SHARED(number_t, sum);
    const uint64_t i = (uint64_t)blockIdx.x * 2 * BLOCK + threadIdx.x;
    sum[threadIdx.x] = element(in, i, elements) + element(in, i + BLOCK, elements);
    __syncthreads();
    add_block(sum);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum[0];
    }
}

// A thread's own sum, before the block combines the threads': the block takes tiles of 2 * BLOCK elements, and the
// thread adds two elements of each.
static inline __device__ number_t sum_of_tiles(const number_t *in, uint64_t elements) {
    number_t sum = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * 2 * BLOCK + threadIdx.x; i < elements;
         i += (uint64_t)gridDim.x * 2 * BLOCK) {
        sum += in[i] + element(in, i + BLOCK, elements);
    }
    return sum;
}

// Step 7. O(n / log n) threads: each first adds about log n elements, which needs no barrier and no shared memory
// (Brent's theorem: as many additions in total, fewer idle threads).
KERNEL void cascade(const number_t *RESTRICT in, number_t *RESTRICT sums, uint64_t elements) {
    DYNAMIC_SHARED(number_t, sum);
    sum[threadIdx.x] = sum_of_tiles(in, elements);
    __syncthreads();
    add_block(sum);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum[0];
    }
}

// A warp's sum, valid at least in its first lane.
static inline __device__ number_t warp_sum(number_t sum) {
#if REDUX
    return reduce_add(sum);
#else
#pragma unroll
    for (uint32_t distance = WARP_WIDTH / 2; distance > 0; distance /= 2) {
        sum += shuffle_down(sum, distance);
    }
    return sum;
#endif
}

// A block's sum, in its first thread: one value per warp goes through shared memory, across one barrier.
static inline __device__ number_t block_sum(number_t sum) {
    __shared__ number_t warps[WARP_WIDTH];
    const uint32_t thread = threadIdx.x;
    sum = warp_sum(sum);
    if (thread % WARP_WIDTH == 0) {
        warps[thread / WARP_WIDTH] = sum;
    }
    __syncthreads();
    if (thread < WARP_WIDTH) {
        sum = warp_sum(thread < BLOCK / WARP_WIDTH ? warps[thread] : 0);
    }
    return sum;
}

// Step 8. The lanes of a warp exchange registers, without shared memory, barriers or banks.
KERNEL void shuffle(const number_t *RESTRICT in, number_t *RESTRICT sums, uint64_t elements) {
    const number_t sum = block_sum(sum_of_tiles(in, elements));
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

// ---- To the limit ----

#define PARTS (16 / (BITS / 8)) // elements in 16 bytes
#define TILE (ITEMS * BLOCK)    // 16-byte words
#define CHECKSUMS 1024          // REDUCE_CHECKSUMS of reduce_job.h

// This thread's words of a tile, zero after the end: ITEMS independent loads.
static inline __device__ void load_tile(word_t value[ITEMS], const word_t *in, uint64_t tile, uint64_t words) {
    const word_t zero = {0, 0, 0, 0};
    const uint64_t first = tile * TILE + threadIdx.x;
    if (first + (ITEMS - 1) * BLOCK < words) {
#pragma unroll
        for (uint32_t item = 0; item < ITEMS; item++) {
            value[item] = load_global(in + first + item * BLOCK);
        }
        return;
    }
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
        const uint64_t i = first + item * BLOCK;
        value[item] = i < words ? load_global(in + i) : zero;
    }
}

// The sum of a thread's elements before its block combines them: its words of each tile of its block and, in the block
// of the last tile, an element after the last whole word.
static inline __device__ number_t thread_sum(const word_t *in, uint64_t elements) {
    const uint64_t words = elements / PARTS;
    number_t sum[PARTS] = {0};
    uint64_t tile = blockIdx.x;
    for (; tile * TILE * PARTS < elements; tile += gridDim.x) {
        word_t value[ITEMS];
        load_tile(value, in, tile, words);
#pragma unroll
        for (uint32_t item = 0; item < ITEMS; item++) {
            union {
                word_t word;
                number_t part[PARTS];
            } both;
            both.word = value[item];
#pragma unroll
            for (uint32_t part = 0; part < PARTS; part++) {
                sum[part] += both.part[part];
            }
        }
    }
    if (tile - gridDim.x == words / TILE && threadIdx.x < elements % PARTS) {
        sum[0] += ((const number_t *)in)[words * PARTS + threadIdx.x];
    }
#pragma unroll
    for (uint32_t part = 1; part < PARTS; part++) {
        sum[0] += sum[part];
    }
    return sum[0];
}

// 16-byte loads, several in flight in each thread, in a grid that fills the device once, or with a block for each tile
// of a large array; one atomic addition per block replaces the second launch. Floating-point sums differ from run to
// run, because blocks finish in any order. *result must be 0 before.
KERNEL void vector_sum(const word_t *RESTRICT in, number_t *RESTRICT result, uint64_t elements) {
    const number_t sum = block_sum(thread_sum(in, elements));
    if (threadIdx.x == 0) {
        atomicAdd(result, sum);
    }
}

// The same with one partial sum per block; the block that finishes last adds them, always in the same order.
// *ticket counts the finished blocks; it is 0 before and after. partials: one value per block.
KERNEL void single_pass(const word_t *RESTRICT in, number_t *RESTRICT result, uint64_t elements, uint32_t *ticket,
                        number_t *partials) {
    __shared__ uint32_t order;
    number_t sum = block_sum(thread_sum(in, elements));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        __threadfence(); // a block that sees the ticket also sees the sum
        order = atomicAdd(ticket, 1u);
    }
    __syncthreads();
    if (order != gridDim.x - 1) {
        return;
    }
    __threadfence();
    sum = 0;
    for (uint32_t i = threadIdx.x; i < gridDim.x; i += BLOCK) {
        sum += ((const volatile number_t *)partials)[i];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        *result = sum;
        *ticket = 0;
    }
}

// The same for 32-bit integers by one atomic addition per block, which carries the block's sum in its upper half and
// counts the block in its lower half. The block that completes the count has the result, so no block waits until
// others' stores are visible. *counted is 0 before and after.
KERNEL void counted_sum(const word_t *RESTRICT in, number_t *RESTRICT result, uint64_t elements,
                        uint64_t *RESTRICT counted) {
    const number_t sum = block_sum(thread_sum(in, elements));
    if (threadIdx.x == 0) {
        const uint64_t mine = (uint64_t)sum << 32 | 1;
        const uint64_t all = atomicAdd(counted, mine) + mine;
        if ((uint32_t)all == gridDim.x) {
            *result = (number_t)(all >> 32);
            *counted = 0;
        }
    }
}

// The yardstick: the same loads and almost no arithmetic. Each block xors its words' 32-bit parts into one of the
// sink's CHECKSUMS words, which stay in the cache. Elements after the last whole word are left out.
KERNEL void read_limit(const word_t *RESTRICT in, uint32_t *RESTRICT sink, uint64_t elements) {
    __shared__ uint32_t of_block;
    uint32_t checksum = 0;
    if (threadIdx.x == 0) {
        of_block = 0;
    }
    __syncthreads();
    for (uint64_t tile = blockIdx.x; tile * TILE < elements / PARTS; tile += gridDim.x) {
        word_t value[ITEMS];
        load_tile(value, in, tile, elements / PARTS);
#pragma unroll
        for (uint32_t item = 0; item < ITEMS; item++) {
            checksum ^= word_fold(value[item]);
        }
    }
    xor_block(sink, CHECKSUMS, &of_block, checksum);
}
