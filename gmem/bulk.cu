// Global memory: contiguous copies and reads by NVIDIA's bulk copies, which the copy engine of a unit executes (sm_90).
//
// A block's tile has ITEMS elements for each of its threads. One thread asks for all of it, so the tile passes through
// shared memory without registers, and the others wait at a barrier. Without a copy engine (in the simulator's C, too)
// each thread moves its part of the tile.
// Constants: WIDTH=16 ITEMS=4
#include "device/kernel/async.h"
#include "device/kernel/kernel.h"

#define CHECKSUMS 1024 // GMEM_CHECKSUMS of gmem_layout.h

// bulk_load, by all threads of the block: fills the tile, and returns when it is there for all of them. `lasts` keeps
// the tile's lines in L2 longer than those that are stored, as load_source of gmem.cu does.
// bulk_store, by all threads: stores what bulk_load brought, and returns when the tile may be given up.
#ifdef ASYNC_BULK

static __device__ __forceinline__ void bulk_load(word_t *tile, const word_t *from, uint32_t words, int lasts) {
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        const shared_address_t barrier = shared_address(&arrived);
        const uint32_t bytes = words * WIDTH;
        barrier_init(barrier, 1);
        barrier_expect(barrier, bytes);
        if (lasts) {
            bulk_copy_lasting(shared_address(tile), from, bytes, barrier);
        } else { // without a hint, because evict_normal makes an H200's reads a quarter slower
            bulk_copy(shared_address(tile), from, bytes, barrier);
        }
        barrier_await(barrier, 0);
    }
    __syncthreads();
}

static __device__ __forceinline__ void bulk_store(word_t *to, const word_t *tile, uint32_t words) {
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                     :
                     : "l"(__cvta_generic_to_global(to)), "r"(shared_address(tile)), "r"(words * WIDTH)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" : : : "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
    }
}

#else

static __device__ __forceinline__ void bulk_load(word_t *tile, const word_t *from, uint32_t words, int lasts) {
    word_t value[ITEMS];
    (void)lasts;
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
        const uint32_t i = item * blockDim.x + threadIdx.x;
        if (i < words) {
            value[item] = load_global(from + i);
        }
    }
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
        const uint32_t i = item * blockDim.x + threadIdx.x;
        if (i < words) {
            store_shared(tile + i, value[item]);
        }
    }
    __syncthreads();
}

static __device__ __forceinline__ void bulk_store(word_t *to, const word_t *tile, uint32_t words) {
    for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
        store_global(to + i, load_shared(tile + i));
    }
}

#endif

// The tile begins at a multiple of 128 bytes, because 16 bytes past one an H200 reads 6 % and copies 9 % slower.
static __device__ __forceinline__ word_t *aligned_tile(word_t *shared) {
    const uint32_t past = (uint32_t)(shared_address(shared) % 128);
    return shared + (past > 0 ? (128 - past) / WIDTH : 0);
}

static __device__ __forceinline__ uint32_t tile_words(uint64_t first, uint64_t elements) {
    const uint32_t words = ITEMS * blockDim.x;
    return elements - first < words ? (uint32_t)(elements - first) : words;
}

// Useful bytes: 2 * elements * WIDTH, one read and one write. The stride is 1.
KERNEL void copy_bulk(const word_t *RESTRICT source, word_t *RESTRICT destination, uint64_t elements, uint64_t stride) {
    DYNAMIC_SHARED(word_t, shared);
    word_t *tile = aligned_tile(shared);
    const uint64_t first = (uint64_t)blockIdx.x * ITEMS * blockDim.x;
    const uint32_t words = tile_words(first, elements);
    (void)stride;
    bulk_load(tile, source + first, words, 1);
    bulk_store(destination + first, tile, words);
}

// The threads fold the tile to 32 bits, as stride_read of gmem.cu does with its registers.
// Useful bytes: elements * WIDTH. The stride is 1.
KERNEL void read_bulk(const word_t *RESTRICT source, uint32_t *RESTRICT sink, uint64_t elements, uint64_t stride) {
    DYNAMIC_SHARED(word_t, shared);
    word_t *tile = aligned_tile(shared);
    __shared__ uint32_t of_block;
    const uint64_t first = (uint64_t)blockIdx.x * ITEMS * blockDim.x;
    const uint32_t words = tile_words(first, elements);
    uint32_t checksum = 0;
    (void)stride;
    if (threadIdx.x == 0) {
        of_block = 0;
    }
    bulk_load(tile, source + first, words, 0);
    for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
        checksum ^= word_fold(load_shared(tile + i));
    }
    xor_block(sink, CHECKSUMS, &of_block, checksum);
}
