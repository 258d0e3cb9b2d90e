// Shared memory: the cost of a warp's request by the width and the stride of its lanes' accesses.
//
// Each thread accesses one element throughout, so every request of a warp has the same addresses and number of passes.
// Lanes are `stride` elements apart; `group` neighbouring lanes share an element. The warps of a block interleave:
// other warps' elements fill the gaps of a stride, shifted by whole elements, so that no two warps share memory and a
// large stride needs no more memory than necessary. A thread makes rounds * UNROLL accesses, UNROLL in flight.
// Constants: WIDTH=1,2,4,8,16 UNROLL=8
// Constants: WIDTH=2,4,8,16 UNROLL=8 CLUSTER=16 DISTANCE=15
#include "device/kernel/kernel.h"

// A word in 32 bits. word_fold is unsuitable at 16 bytes, because it gives 0 for every word from word_from_u64.
static inline __device__ uint32_t summand(word_t word) {
#if WIDTH == 16
    return (word.x ^ word.y) + (word.z ^ word.w);
#else
    return word_fold(word);
#endif
}

// The index of this thread's element. With stride 0 all lanes of a warp share one element.
static inline __device__ uint32_t element_index(uint32_t stride, uint32_t group) {
    const uint32_t warp = threadIdx.x / WARP_WIDTH;
    const uint32_t slot = threadIdx.x % WARP_WIDTH / group;
    const uint32_t slots = WARP_WIDTH / group;
    if (stride == 0) {
        return warp;
    }
    return slot * stride + warp % stride + warp / stride * slots * stride;
}

// sums: for each thread of the grid the sum of its loaded words, folded to 32 bits.
// cycles: for each block, from its first access to its last.
KERNEL void shared_load(uint32_t *RESTRICT sums, uint64_t *RESTRICT cycles, uint32_t stride, uint32_t group,
                        uint32_t rounds, uint64_t seed) {
    DYNAMIC_SHARED(word_t, words);
    const uint32_t index = element_index(stride, group);
    store_shared(words + index, word_from_u64(mix64(seed + index)));
    __syncthreads();
    const uint64_t start = cycle_counter();
    uint32_t sum = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        word_t value[UNROLL];
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            value[i] = load_shared(words + index);
        }
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            sum += summand(value[i]);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = cycles_since(start);
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// If lanes share the element, one lane's next store must not race with another's last.
static inline __device__ void store_often(word_t *place, word_t value, uint32_t rounds, bool lanes_share) {
    for (uint32_t round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            store_shared(place, value);
            if (lanes_share) {
                warp_barrier();
            }
        }
    }
}

// sums: the element's final value, folded.
KERNEL void shared_store(uint32_t *RESTRICT sums, uint64_t *RESTRICT cycles, uint32_t stride, uint32_t group,
                         uint32_t rounds, uint64_t seed) {
    DYNAMIC_SHARED(word_t, words);
    const uint32_t index = element_index(stride, group);
    const word_t value = word_from_u64(mix64(seed + index));
    __syncthreads();
    const uint64_t start = cycle_counter();
    if (stride == 0) {
        store_often(words + index, value, rounds, true);
    } else {
        store_often(words + index, value, rounds, false);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = cycles_since(start);
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = summand(load_shared(words + index));
}

// A dependent chain: each load gives the address of the next. An element holds the low bytes of its own byte offset,
// so the chain does not move and keeps its pattern of banks. sums: the offset at the end, plus the sum of the other
// parts of the words, which is 0. The other parts are used so that the compiler does not narrow the load.
#if WIDTH == 16
#define NEXT_OFFSET(offset, value) ((value).x)
#define REST(value) word_fold(value)
#elif WIDTH == 8
#define NEXT_OFFSET(offset, value) ((uint32_t)(value))
#define REST(value) ((uint32_t)((value) >> 32))
#elif WIDTH == 4
#define NEXT_OFFSET(offset, value) (value)
#define REST(value) 0
#else
#define NEXT_OFFSET(offset, value) (((offset) >> (8 * WIDTH) << (8 * WIDTH)) | (value))
#define REST(value) 0
#endif
KERNEL void shared_load_latency(uint32_t *RESTRICT sums, uint64_t *RESTRICT cycles, uint32_t stride, uint32_t group,
                                uint32_t rounds, uint64_t seed) {
    DYNAMIC_SHARED(word_t, words);
    const unsigned char *bytes = (const unsigned char *)words;
    uint32_t offset = element_index(stride, group) * WIDTH;
    uint32_t sum = (uint32_t)seed;
    store_shared(words + offset / WIDTH, word_from_u64(offset));
    __syncthreads();
    const uint64_t start = cycle_counter();
    for (uint32_t round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            const word_t value = load_shared((const word_t *)(const void *)(bytes + offset));
            offset = NEXT_OFFSET(offset, value);
            sum += REST(value);
        }
    }
    const uint64_t elapsed = cycles_since(start);
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = elapsed;
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = offset + sum;
}

#if WIDTH == 4
// sums: the element's final count.
KERNEL void shared_atomic_add(uint32_t *RESTRICT sums, uint64_t *RESTRICT cycles, uint32_t stride, uint32_t group,
                              uint32_t rounds, uint64_t seed) {
    DYNAMIC_SHARED(uint32_t, words);
    const uint32_t index = element_index(stride, group);
    words[index] = (uint32_t)seed;
    __syncthreads();
    const uint64_t start = cycle_counter();
    for (uint32_t round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            atomicAdd(&words[index], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = cycles_since(start);
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = words[index];
}
#endif

#if WIDTH <= 8
// An old course's measurement: a volatile array of 4096 elements and one load per turn of the loop, each waiting for
// the one before to be added. Kept so that its published chart can be reproduced.
KERNEL void course(uint32_t *RESTRICT sums, uint64_t *RESTRICT cycles, uint32_t stride, uint32_t group, uint32_t rounds,
                   uint64_t seed) {
    __shared__ volatile word_t data[4096];
    for (uint32_t i = threadIdx.x; i < 4096; i += blockDim.x) {
        data[i] = (word_t)mix64(seed + i);
    }
    __syncthreads();
    const uint32_t index = threadIdx.x / group * stride % 4096;
    const uint64_t start = cycle_counter();
    uint32_t sum = 0;
    for (uint32_t turn = 0; turn < rounds * UNROLL; turn++) {
        sum += summand(data[index]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = cycles_since(start);
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
#endif

// Any pattern: lane l of every warp accesses the word at byte offsets[l], or nothing if that is INACTIVE. All warps
// share the words, and lanes may: every store to a word stores the same value.
#define INACTIVE 0xffffffffu
static inline __device__ word_t word_at(uint32_t offset, uint64_t seed) {
    return word_from_u64(mix64(seed + offset));
}

// sums: of the lane's loaded words; 0 if it is inactive.
KERNEL void table_load(uint32_t *RESTRICT sums, uint64_t *RESTRICT cycles, const uint32_t *RESTRICT offsets,
                       uint32_t rounds, uint64_t seed) {
    DYNAMIC_SHARED(word_t, words);
    const uint32_t offset = offsets[threadIdx.x % WARP_WIDTH];
    uint32_t sum = 0;
    if (offset != INACTIVE && threadIdx.x < WARP_WIDTH) {
        store_shared(words + offset / WIDTH, word_at(offset, seed));
    }
    __syncthreads();
    const uint64_t start = cycle_counter();
    if (offset != INACTIVE) {
        for (uint32_t round = 0; round < rounds; round++) {
            word_t value[UNROLL];
#pragma unroll
            for (int i = 0; i < UNROLL; i++) {
                value[i] = load_shared(words + offset / WIDTH);
            }
#pragma unroll
            for (int i = 0; i < UNROLL; i++) {
                sum += summand(value[i]);
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = cycles_since(start);
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// sums: the final value of the lane's word; 0 if it is inactive.
KERNEL void table_store(uint32_t *RESTRICT sums, uint64_t *RESTRICT cycles, const uint32_t *RESTRICT offsets,
                        uint32_t rounds, uint64_t seed) {
    DYNAMIC_SHARED(word_t, words);
    const uint32_t offset = offsets[threadIdx.x % WARP_WIDTH];
    const word_t value = word_at(offset, seed);
    __syncthreads();
    const uint64_t start = cycle_counter();
    if (offset != INACTIVE) {
        for (uint32_t round = 0; round < rounds; round++) {
#pragma unroll
            for (int i = 0; i < UNROLL; i++) {
                store_shared(words + offset / WIDTH, value);
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = cycles_since(start);
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = offset == INACTIVE ? 0 : summand(load_shared(words + offset / WIDTH));
}

#if defined(CLUSTER) && __CUDA_ARCH__ >= 900

// ---- Distributed shared memory: the shared memory of another block of the same cluster ----
//
// A block accesses the memory of the block DISTANCE ranks after it, or its own if DISTANCE is 0, by the path that leads
// to any block of the cluster. A block's words depend on its rank, so that the sums tell whose words were accessed.

static inline __device__ uint32_t cluster_rank(void) {
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// Orders the accesses of all threads of the cluster before it and after it.
static inline __device__ void cluster_barrier(void) {
    asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
}

// Where the block of this rank has what this block has at p.
static inline __device__ shared_address_t address_in(uint32_t rank, const void *p) {
    shared_address_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
    return there;
}

static inline __device__ word_t load_remote(shared_address_t address) {
    word_register value;
#if WIDTH == 16
    asm volatile("ld.volatile.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : PTX_WORD("=", value) : "r"(address));
#else
    asm volatile("ld.volatile.shared::cluster." PTX_TYPE " %0, [%1];" : PTX_WORD("=", value) : "r"(address));
#endif
    return (word_t)value;
}

static inline __device__ void store_remote(shared_address_t address, word_t word) {
    word_register value = word;
#if WIDTH == 16
    asm volatile("st.volatile.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(address), PTX_WORD("", value)
                 : "memory");
#else
    asm volatile("st.volatile.shared::cluster." PTX_TYPE " [%0], %1;" : : "r"(address), PTX_WORD("", value) : "memory");
#endif
}

#define CLUSTER_KERNEL KERNEL __cluster_dims__(CLUSTER, 1, 1) void
#define TARGET ((cluster_rank() + DISTANCE) % CLUSTER)

static inline __device__ word_t word_of_block(uint64_t seed, uint32_t index) {
    return word_from_u64(mix64(seed + ((uint64_t)cluster_rank() << 32) + index));
}

// The latest thread of the block ends its time.
static inline __device__ void end_cycles(uint64_t *cycles, uint64_t start) {
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = cycles_since(start);
    }
}

CLUSTER_KERNEL remote_load(uint32_t *RESTRICT sums, uint64_t *RESTRICT cycles, uint32_t stride, uint32_t group,
                           uint32_t rounds, uint64_t seed) {
    DYNAMIC_SHARED(word_t, words);
    const uint32_t index = element_index(stride, group);
    const shared_address_t there = address_in(TARGET, words + index);
    store_shared(words + index, word_of_block(seed, index));
    cluster_barrier();
    const uint64_t start = cycle_counter();
    uint32_t sum = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        word_t value[UNROLL];
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            value[i] = load_remote(there);
        }
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            sum += summand(value[i]);
        }
    }
    end_cycles(cycles, start);
    cluster_barrier(); // no block ends while another reads its memory
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A store does not wait for its arrival, so the time ends behind the cluster's barrier, which does.
CLUSTER_KERNEL remote_store(uint32_t *RESTRICT sums, uint64_t *RESTRICT cycles, uint32_t stride, uint32_t group,
                            uint32_t rounds, uint64_t seed) {
    DYNAMIC_SHARED(word_t, words);
    const uint32_t index = element_index(stride, group);
    const shared_address_t there = address_in(TARGET, words + index);
    const word_t value = word_of_block(seed, index);
    cluster_barrier();
    const uint64_t start = cycle_counter();
    for (uint32_t round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            store_remote(there, value);
            if (stride == 0) {
                warp_barrier(); // the lanes share the element
            }
        }
    }
    cluster_barrier();
    end_cycles(cycles, start);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = summand(load_shared(words + index));
}

#if WIDTH == 4
CLUSTER_KERNEL remote_atomic_add(uint32_t *RESTRICT sums, uint64_t *RESTRICT cycles, uint32_t stride, uint32_t group,
                                 uint32_t rounds, uint64_t seed) {
    DYNAMIC_SHARED(uint32_t, words);
    const uint32_t index = element_index(stride, group);
    const shared_address_t there = address_in(TARGET, words + index);
    words[index] = (uint32_t)seed;
    cluster_barrier();
    const uint64_t start = cycle_counter();
    for (uint32_t round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" : : "r"(there) : "memory");
        }
    }
    cluster_barrier();
    end_cycles(cycles, start);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = words[index];
}
#endif

#if WIDTH >= 4
// An element holds its own address in the cluster. sums: the offset at the end of the chain, as in smem.cu.
CLUSTER_KERNEL remote_latency(uint32_t *RESTRICT sums, uint64_t *RESTRICT cycles, uint32_t stride, uint32_t group,
                              uint32_t rounds, uint64_t seed) {
    DYNAMIC_SHARED(word_t, words);
    const uint32_t index = element_index(stride, group);
    shared_address_t at = address_in(TARGET, words + index);
    uint32_t sum = (uint32_t)seed - address_in(TARGET, words);
    store_shared(words + index, word_from_u64(address_in(cluster_rank(), words + index)));
    cluster_barrier();
    const uint64_t start = cycle_counter();
    for (uint32_t round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            const word_t value = load_remote(at);
            at = NEXT_OFFSET(at, value);
            sum += REST(value);
        }
    }
    end_cycles(cycles, start);
    cluster_barrier();
    sums[blockIdx.x * blockDim.x + threadIdx.x] = at + sum;
}
#endif

#endif // CLUSTER
