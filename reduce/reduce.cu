// The sum of an array, in ten steps: eight through shared memory, as courses have taught them since 2007 (Mark Harris,
// "Optimizing parallel reduction in CUDA"), then what today's parts ask for.
//
// A block of steps 1 to 8 sums its tile of `in` and stores one value; the host launches the kernel on those values
// again until one is left. Useful bytes of each kernel: elements * sizeof(number_t), read once. Constants beside the
// type (device/kernel/kernel.h): BLOCK threads a block, a power of two from one warp up; ITEMS 16-byte loads under way
// in a thread of `vector_sum` and what follows; REDUX: whether warps are summed by one instruction.
//
// Constants: WIDTH=16 BITS=32 FLOATING=0 BLOCK=512 ITEMS=4 REDUX=0
// Constants: WIDTH=16 BITS=32 FLOATING=1 BLOCK=64 ITEMS=4 REDUX=0
// Constants: WIDTH=16 BITS=64 FLOATING=0 BLOCK=128 ITEMS=4 REDUX=0
// Constants: WIDTH=16 BITS=64 FLOATING=1 BLOCK=1024 ITEMS=4 REDUX=0
#include "device/kernel/kernel.h"

static inline __device__ number_t element(const number_t *in, uint64_t i, uint64_t elements) {
    return i < elements ? in[i] : 0;
}

// Step 1. Neighbours first: the stride doubles, and every 2 * stride-th thread adds. The working threads are spread
// over all warps, so every warp walks through every step with ever fewer of its lanes at work.
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

// Step 2. The same sums, by consecutive threads: whole warps work or rest, so more lanes are active. But lanes now
// touch elements 2 * stride apart, which share banks: conflicts, twice as many with each step until lanes run out.
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

// Step 3. The stride halves instead: lanes touch neighbours, so no banks conflict.
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

// Step 4. Half the threads rested from the first step on: now each adds two elements while it loads, and half as many
// blocks do the same work. Half of all steps, barriers and branches are gone.
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

// The sum of the first 2 * WARP_WIDTH values, or of WARP_WIDTH in a block of one warp, by one warp. Lanes past the
// stride add what nobody reads: cheaper than a branch. (The host leaves room for what they read.) The old texts left
// the warp barriers out, for warps ran in lockstep; since Volta lanes are threads of their own, and compilers never
// promised it. Each lane reads before any lane writes, hence two barriers.
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

// Step 5. Once one warp is left it needs no barrier of the block, no test and no loop.
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

// The sum of a block's BLOCK values: every test that is left is of a thread's number, the compiler decides the others.
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

// Step 6. The block's size is a constant of the compilation: no loop is left.
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

// What this thread adds before the threads of its block meet: two elements of each tile of 2 * BLOCK that is its
// block's.
static inline __device__ number_t sum_of_tiles(const number_t *in, uint64_t elements) {
    number_t sum = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * 2 * BLOCK + threadIdx.x; i < elements;
         i += (uint64_t)gridDim.x * 2 * BLOCK) {
        sum += in[i] + element(in, i + BLOCK, elements);
    }
    return sum;
}

// Step 7. O(n / log n) threads: each adds about log n elements first, which costs no barrier and no shared memory
// (Brent's theorem: as many sums in all, fewer threads that rest).
KERNEL void cascade(const number_t *RESTRICT in, number_t *RESTRICT sums, uint64_t elements) {
    DYNAMIC_SHARED(number_t, sum);
    sum[threadIdx.x] = sum_of_tiles(in, elements);
    __syncthreads();
    add_block(sum);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum[0];
    }
}

// A warp's sum, in its first lane at the least.
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

// A block's sum, in its first thread: one value a warp goes through shared memory, across one barrier.
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

// Step 8. Lanes of a warp hand their registers to each other: no shared memory, no barrier, no bank.
KERNEL void shuffle(const number_t *RESTRICT in, number_t *RESTRICT sums, uint64_t elements) {
    const number_t sum = block_sum(sum_of_tiles(in, elements));
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

// ---- To the limit ----

#define PARTS (16 / (BITS / 8)) // elements in 16 bytes
#define TILE (ITEMS * BLOCK)    // 16-byte words

// This thread's words of a tile, zero behind the end: ITEMS loads that do not wait for one another.
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

// What this thread adds before the threads of its block meet: its words of each tile that is its block's, and, in the
// block of the last tile, an element behind the last whole word.
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

// 16-byte loads, several under way in each thread, in a grid that fills the part once; one atomic addition a block
// spares the second launch. Floating-point sums differ from run to run, for the blocks come in any order.
// *result is 0 before.
KERNEL void vector_sum(const word_t *RESTRICT in, number_t *RESTRICT result, uint64_t elements) {
    const number_t sum = block_sum(thread_sum(in, elements));
    if (threadIdx.x == 0) {
        atomicAdd(result, sum);
    }
}

// The same with one partial sum a block; the block that finishes last adds them, always in the same order.
// partials: one value a block. *ticket counts the blocks that have finished; 0 before, 0 again after.
KERNEL void single_pass(const word_t *RESTRICT in, number_t *RESTRICT result, uint64_t elements, number_t *partials,
                        uint32_t *ticket) {
    __shared__ uint32_t place;
    number_t sum = block_sum(thread_sum(in, elements));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        __threadfence(); // whoever sees the ticket sees the sum
        place = atomicAdd(ticket, 1u);
    }
    __syncthreads();
    if (place != gridDim.x - 1) {
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

// The yardstick: the same loads and next to no arithmetic. sink: for each warp the xor of its words' 32-bit parts; the
// elements behind the last whole word are left out.
KERNEL void read_limit(const word_t *RESTRICT in, uint32_t *RESTRICT sink, uint64_t elements) {
    uint32_t checksum = 0;
    for (uint64_t tile = blockIdx.x; tile * TILE < elements / PARTS; tile += gridDim.x) {
        word_t value[ITEMS];
        load_tile(value, in, tile, elements / PARTS);
#pragma unroll
        for (uint32_t item = 0; item < ITEMS; item++) {
            checksum ^= word_fold(value[item]);
        }
    }
#pragma unroll
    for (uint32_t distance = WARP_WIDTH / 2; distance > 0; distance /= 2) {
        checksum ^= shuffle_xor(checksum, distance);
    }
    if (threadIdx.x % WARP_WIDTH == 0) {
        sink[(blockIdx.x * BLOCK + threadIdx.x) / WARP_WIDTH] = checksum;
    }
}
