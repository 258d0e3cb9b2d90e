// Arithmetic on streams of floating-point numbers, as in STREAM and BabelStream.
//
// An element is a float (WIDTH 4), a double (8) or two doubles (16). As in gmem.cu a thread handles ITEMS elements a
// block's width apart, and all of its loads are in flight before the first value is needed.
// Constants: WIDTH=4 ITEMS=4,16
// Constants: WIDTH=8 ITEMS=2,8
// Constants: WIDTH=16 ITEMS=1,4
#include "device/kernel/kernel.h"

#define CHECKSUMS 1024 // GMEM_CHECKSUMS of gmem_layout.h
#define FIRST_ELEMENT ((uint64_t)blockIdx.x * blockDim.x * ITEMS + threadIdx.x)

// FIXED_POINT: see gmem/gmem_layout.h.
#if WIDTH == 4
typedef float stream_number;
#define FIXED_POINT ((double)(1ull << 11))
#else
typedef double stream_number;
#define FIXED_POINT ((double)(1ull << 38))
#endif
#define PARTS (WIDTH / sizeof(stream_number))

typedef union {
    word_t word;
    stream_number part[PARTS];
} element_t;

// AMD's compiler would split the load of two doubles if it saw how the word is used.
static __device__ __forceinline__ element_t element_of(word_t word) {
#if defined(__HIP__) && WIDTH == 16
    __asm__("" : "+v"(word.x), "+v"(word.y), "+v"(word.z), "+v"(word.w));
#endif
    element_t element;
    element.word = word;
    return element;
}

static __device__ __forceinline__ word_t triad_element(word_t b, word_t c) {
    element_t x = element_of(b);
    const element_t y = element_of(c);
#pragma unroll
    for (unsigned i = 0; i < PARTS; i++) {
        x.part[i] += 3 * y.part[i];
    }
    return x.word;
}

// STREAM's triad: a[i] = b[i] + 3 * c[i].
// Useful bytes: 3 * elements * WIDTH, two reads and one write.
KERNEL void triad(const word_t *RESTRICT b, const word_t *RESTRICT c, word_t *RESTRICT a, uint64_t elements,
                  uint64_t stride) {
    const uint64_t first = FIRST_ELEMENT;
    const uint64_t step = (uint64_t)blockDim.x * stride;
    const word_t *from_b = b + first * stride, *from_c = c + first * stride;
    word_t *to = a + first * stride;
    if (first + (uint64_t)(ITEMS - 1) * blockDim.x < elements) {
        word_t x[ITEMS], y[ITEMS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            x[item] = load_global(from_b + (uint64_t)item * step);
            y[item] = load_global(from_c + (uint64_t)item * step);
        }
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            store_global(to + (uint64_t)item * step, triad_element(x[item], y[item]));
        }
        return;
    }
    for (uint64_t i = first; i < elements; i += blockDim.x) {
        store_global(to, triad_element(load_global(from_b), load_global(from_c)));
        from_b += step;
        from_c += step;
        to += step;
    }
}

static __device__ __forceinline__ stream_number sum_element(word_t word) {
    const element_t x = element_of(word);
    stream_number sum = 0;
#pragma unroll
    for (unsigned i = 0; i < PARTS; i++) {
        sum += x.part[i];
    }
    return sum;
}

// Reduces a block's elements to one number: first each thread, then each warp, finally the first warp. It is added in
// fixed point to one of CHECKSUMS sums, so that nothing is rounded. Useful bytes: elements * WIDTH.
KERNEL void sum(const word_t *RESTRICT source, unsigned long long *RESTRICT sums, uint64_t elements, uint64_t stride) {
    __shared__ double of_warp[1024 / WARP_WIDTH];
    const uint64_t first = FIRST_ELEMENT;
    const uint64_t step = (uint64_t)blockDim.x * stride;
    const word_t *from = source + first * stride;
    stream_number mine = 0;
    if (first + (uint64_t)(ITEMS - 1) * blockDim.x < elements) {
        word_t value[ITEMS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            value[item] = load_global(from + (uint64_t)item * step);
        }
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            mine += sum_element(value[item]);
        }
    } else {
        for (uint64_t i = first; i < elements; i += blockDim.x) {
            mine += sum_element(load_global(from));
            from += step;
        }
    }
    FOLD_WARP(mine, +=);
    if (threadIdx.x % WARP_WIDTH == 0) {
        of_warp[threadIdx.x / WARP_WIDTH] = mine;
    }
    __syncthreads();
    if (threadIdx.x < WARP_WIDTH) {
        double of_block = threadIdx.x < blockDim.x / WARP_WIDTH ? of_warp[threadIdx.x] : 0;
        FOLD_WARP(of_block, +=);
        if (threadIdx.x == 0) {
            atomicAdd(&sums[blockIdx.x % CHECKSUMS], (unsigned long long)(of_block * FIXED_POINT));
        }
    }
}
