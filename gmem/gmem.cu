// Global memory: the cost of the stride, the width and the offset of an access.
//
// A thread handles ITEMS elements of WIDTH bytes, a block's width apart, so that the lanes of a warp always touch
// neighbours (times the stride) and several loads are in flight before the first one is needed.
// Element i is at i * stride. At stride 1 a warp's request is contiguous, and at stride 2 half of every moved sector is
// thrown away. Once the stride gives each lane a separate sector, the number of sectors no longer grows.
// Constants: WIDTH=1,2,4 ITEMS=16
// Constants: WIDTH=2,8 ITEMS=8
// Constants: WIDTH=4,16 ITEMS=4
// Constants: WIDTH=8 ITEMS=2
// Constants: WIDTH=16 ITEMS=1
#include "device/kernel/kernel.h"

#define CHECKSUMS 1024 // GMEM_CHECKSUMS of gmem_layout.h
#define FIRST_ELEMENT ((uint64_t)blockIdx.x * blockDim.x * ITEMS + threadIdx.x)

// A copy's load. On NVIDIA its lines stay in L2 longer than those that are stored, so that L2 makes room by writing:
// an H200 copies 1.8 % faster, with strides neither faster nor slower.
static __device__ __forceinline__ word_t load_source(const word_t *p) {
#if __CUDA_ARCH__ >= 800
#if WIDTH == 16
#define LOAD_SOURCE "ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
#else
#define LOAD_SOURCE "ld.global.L2::cache_hint." PTX_TYPE " %0, [%1], %2;"
#endif
    word_register value;
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile(LOAD_SOURCE : PTX_WORD("=", value) : "l"(__cvta_generic_to_global(p)), "l"(policy));
    return (word_t)value;
#else
    return load_global(p);
#endif
}

// Useful bytes: 2 * elements * WIDTH, one read and one write.
KERNEL void stride_copy(const word_t *RESTRICT source, word_t *RESTRICT destination, uint64_t elements,
                        uint64_t stride) {
    const uint64_t first = FIRST_ELEMENT;
    const uint64_t step = (uint64_t)blockDim.x * stride;
    const word_t *from = source + first * stride;
    word_t *to = destination + first * stride;
    if (first + (uint64_t)(ITEMS - 1) * blockDim.x < elements) {
        word_t value[ITEMS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            value[item] = load_source(from + (uint64_t)item * step);
        }
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            store_global(to + (uint64_t)item * step, value[item]);
        }
        return;
    }
    for (uint64_t i = first; i < elements; i += blockDim.x) {
        store_global(to, load_source(from));
        from += step;
        to += step;
    }
}

// Each block folds its elements to 32 bits and xors them into one of the sink's CHECKSUMS words. These stay in the
// cache, whereas an H200 reads 2 % slower if each warp has a word, which is written to memory.
// Useful bytes: elements * WIDTH.
KERNEL void stride_read(const word_t *RESTRICT source, uint32_t *RESTRICT sink, uint64_t elements, uint64_t stride) {
    __shared__ uint32_t of_warp[1024 / WARP_WIDTH];
    const uint64_t first = FIRST_ELEMENT;
    const uint64_t step = (uint64_t)blockDim.x * stride;
    const word_t *from = source + first * stride;
    uint32_t checksum = 0;
    if (first + (uint64_t)(ITEMS - 1) * blockDim.x < elements) {
        word_t value[ITEMS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            value[item] = load_global(from + (uint64_t)item * step);
        }
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            checksum ^= word_fold(value[item]);
        }
    } else {
        for (uint64_t i = first; i < elements; i += blockDim.x) {
            checksum ^= word_fold(load_global(from));
            from += step;
        }
    }
    FOLD_WARP(checksum, ^=);
    if (threadIdx.x % WARP_WIDTH == 0) {
        of_warp[threadIdx.x / WARP_WIDTH] = checksum;
    }
    __syncthreads();
    if (threadIdx.x < WARP_WIDTH) {
        checksum = threadIdx.x < blockDim.x / WARP_WIDTH ? of_warp[threadIdx.x] : 0;
        FOLD_WARP(checksum, ^=);
        if (threadIdx.x == 0) {
            atomicXor(&sink[blockIdx.x % CHECKSUMS], checksum);
        }
    }
}

// Element i gets word_from_u64(pattern64(seed + i)): its low bytes, and at 16 bytes their complement above.
// Useful bytes: elements * WIDTH.
KERNEL void stride_write(word_t *RESTRICT destination, uint64_t elements, uint64_t stride, uint64_t seed) {
    const uint64_t first = FIRST_ELEMENT;
    const uint64_t step = (uint64_t)blockDim.x * stride;
    word_t *to = destination + first * stride;
    for (uint64_t item = 0, i = first; item < ITEMS && i < elements; item++, i += blockDim.x) {
        store_global(to, word_from_u64(pattern64(seed + i)));
        to += step;
    }
}
