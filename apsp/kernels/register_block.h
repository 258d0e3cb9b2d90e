// What the kernels in registers have in common: register_tiled.cu, tile_product.cu and whole_round.cu.
//
// A block has SIDE x SIDE threads, each of which has groups of neighbouring rows and of neighbouring words. With
// BITS = 16 a word has two neighbouring distances, and one instruction updates both.
#ifndef APSP_KERNELS_REGISTER_BLOCK_H
#define APSP_KERNELS_REGISTER_BLOCK_H

#include "apsp/kernels/matrix.h"

#if BITS == 16
#define PER_WORD 2
#define ADD_MIN(a, b, c) add_min_u16x2(a, b, c)
#else
#define PER_WORD 1
#define ADD_MIN(a, b, c) ((uint32_t)add_min((int32_t)(a), (int32_t)(b), (int32_t)(c)))
#endif

// Whether an update is one instruction, as it is for NVIDIA's GPUs from Hopper on. Where it is not, registers do not
// hold as many pivots ahead.
#if defined(__HIP__) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900)
#define IS_FUSED 0
#else
#define IS_FUSED 1
#endif

enum {
    THREADS = 256,       // of a block
    SIDE = 16,           // of them along rows, and along words
    GROUP = 4,           // neighbouring rows or words that a thread has
    HALF = SIDE * GROUP, // rows or words in which a thread has one group; two such halves make 128
    // Blocks of a multiprocessor if a thread has 8 x 8 words. With THREADS this limits the registers of a thread. The
    // 64 KiB of shared memory that AMD's units have hold one block.
#ifdef __HIP__
    LARGE_BLOCKS = 1
#else
    LARGE_BLOCKS = 2
#endif
};

// A matrix and the words from row to row.
struct matrix {
    uint32_t *at;
    uint64_t pitch;
};

// Repeats `count` times. `most` is an upper bound that every compiler knows when it decides what to unroll; the count
// of a part becomes a constant only when its function is inlined into the kernel.
#define FOR_EACH(i, count, most) _Pragma("unroll") for (int i = 0; i < (most); i++) if (i < (count))

// The thread's rows or words among 128: a group in the first half and one in the second.
static __device__ __forceinline__ uint32_t place_of(uint32_t index, uint32_t thread) {
    return index / GROUP * HALF + thread * GROUP + index % GROUP;
}

// Four distances along a row, a word each.
static __device__ __forceinline__ quad load_distances(const uint32_t *from) {
#if BITS == 16
    const uint32_t first = from[0], second = from[1];
    const quad distances = {{first & 0xffff, first >> 16, second & 0xffff, second >> 16}};
    return distances;
#else
    return *(const quad *)(const void *)from;
#endif
}

static __device__ __forceinline__ void store_distances(uint32_t *to, quad distances) {
#if BITS == 16
    to[0] = distances.word[0] | distances.word[1] << 16;
    to[1] = distances.word[2] | distances.word[3] << 16;
#else
    *(quad *)(void *)to = distances;
#endif
}

// The paths through one pivot, for all groups of rows and of words of a thread.
static __device__ __forceinline__ void update(quad distance[8][2], const quad row[2], const quad word[2],
                                              int row_groups, int word_groups) {
    FOR_EACH(i, row_groups * GROUP, 8) {
        FOR_EACH(j, word_groups * GROUP, 8) {
            uint32_t *at = &distance[i][j / GROUP].word[j % GROUP];
            *at = ADD_MIN(row[i / GROUP].word[i % GROUP], word[j / GROUP].word[j % GROUP], *at);
        }
    }
}

#endif
