// Blocked Floyd-Warshall from registers: the three phases of shared.cu on tiles of 128, limited by arithmetic.
//
// shared.cu reads two words of shared memory for every update, or fewer where a thread has several elements in a row or
// a column. Here a thread has 8 x 8 elements, so that 16 words, loaded 16 bytes at once, serve 64 updates.
//
// Phases 2 and 3 are the same min-plus matrix multiply, w = min(w, w[*][pivots] (x) w[pivots][*]), on different parts
// of the matrix. A block of 256 threads updates a part of 128 rows by 128 words, or half of that in one or both
// directions where there would be too few parts for all multiprocessors. The pivots come in stages. While the block
// multiplies one stage, it loads the next one from global memory into registers, and then stores it into the other half
// of shared memory. It loads the part's own distances together with the first stage, so that it waits for memory only
// once, while another block of the multiprocessor multiplies.
//
// With BITS = 16 a word holds two neighbouring distances, and one instruction updates both. Then 128 words are 256
// columns. The distances of a left factor are stored twice, in both halves of a word.
//
// Constants: BITS=16,32
#include "device/kernel/kernel.h"

#include "apsp/kernels/register_block.h"

#define NO_TILE 0xffffffffu

enum {
    PIVOTS = 128, // of a round: rows of a tile
    PIVOT_WORDS = PIVOTS / PER_WORD
};

// On NVIDIA's GPUs before Hopper the loop over a stage's pivots is hardly unrolled, and stages with the most distances
// per thread are half as deep.
#if defined(__CUDA_ARCH__) && !IS_FUSED
#define IS_TIGHT 1
#else
#define IS_TIGHT 0
#endif

// Visits the pivots of a stage.
#if defined(__HIP__) || (IS_TIGHT && BITS == 32)
#define FOR_EACH_PIVOT(k, count) _Pragma("unroll 1") for (int k = 0; k < (count); k++)
#elif IS_TIGHT
#define FOR_EACH_PIVOT(k, count) _Pragma("unroll 2") for (int k = 0; k < (count); k++)
#else
#define FOR_EACH_PIVOT(k, count) FOR_EACH(k, count, 16)
#endif

// clang 19 keeps distances that one instruction stores in neighbouring registers. Phase 1 stores each distance with its
// row and with its column, so clang gives it two registers, and 256 are too few. CDNA's accumulators take the rest.
// Elsewhere an empty instruction that uses each distance alone prevents it.
#if defined(__HIP__) && !defined(__gfx908__) && !defined(__gfx90a__) && !defined(__gfx942__) && !defined(__gfx950__)
#define KEEP_ALONE(value) __asm__("" : "+v"(value))
#else
#define KEEP_ALONE(value) (void)0
#endif

static __device__ __forceinline__ void keep_alone(quad distance[8][2]) {
    (void)distance;
    FOR_EACH(i, 8, 8) {
        FOR_EACH(j, 8, 8) {
            KEEP_ALONE(distance[i][j / GROUP].word[j % GROUP]);
        }
    }
}

// Stores the k-th row and column of a group for all threads, if this thread holds a part of them.
static __device__ __forceinline__ void show(quad row[2][SIDE], quad column[2][SIDE], quad distance[8][2], int half,
                                            int k, uint32_t group) {
    const uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    if (y == group) {
        row[0][x] = distance[half * GROUP + k][0];
        row[1][x] = distance[half * GROUP + k][1];
    }
    if (x == group) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            column[i / GROUP][y].word[i % GROUP] = distance[i][half].word[k];
        }
    }
}

// One block runs phase 1 while everything else waits for it, so each of its steps must be short. Step k needs only the
// tile's row k and column k. The threads that hold them store them into shared memory, in two buffers by turns, so that
// one barrier is enough for each step.
KERNEL void __launch_bounds__(THREADS) phase1(uint32_t *w, uint32_t pitch_words, uint32_t pivot) {
    __shared__ quad rows[2][2][SIDE], columns[2][2][SIDE];
    const uint64_t pitch = pitch_words;
    const uint32_t x = threadIdx.x % SIDE;
    uint32_t y = threadIdx.x / SIDE;
    uint32_t *tile = w + pivot * PIVOTS * pitch + pivot * PIVOT_WORDS;
    quad distance[8][2];
    FOR_EACH(i, 8, 8) {
        FOR_EACH(half, 2, 2) {
            distance[i][half] = load_distances(tile + place_of(i, y) * pitch + place_of(half * GROUP, x) / PER_WORD);
        }
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll 1
        for (uint32_t group = 0; group < SIDE; group++) {
#pragma unroll
            for (int k = 0; k < GROUP; k++) {
                show(rows[k % 2], columns[k % 2], distance, half, k, group);
                __syncthreads();
                const quad row[2] = {columns[k % 2][0][y], columns[k % 2][1][y]};
                const quad word[2] = {rows[k % 2][0][x], rows[k % 2][1][x]};
                update(distance, row, word, 2, 2);
                keep_alone(distance);
            }
        }
    }
    KEEP_ALONE(y); // so that addresses are computed again, rather than kept
    FOR_EACH(i, 8, 8) {
        FOR_EACH(half, 2, 2) {
            store_distances(tile + place_of(i, y) * pitch + place_of(half * GROUP, x) / PER_WORD, distance[i][half]);
        }
    }
}

// A part: its beginning, and how many groups of rows and of words of it each thread has. A kernel makes the shape a
// constant, so that each shape has separate loops.
struct part {
    uint32_t row, word;
    int row_groups, word_groups;
};

// Pivots of a stage. With the most distances per thread and two in a word, registers hold no more.
static __device__ __forceinline__ int depth_of(struct part part) {
    return (PER_WORD == 2 || IS_TIGHT) && part.row_groups * part.word_groups == 4 ? 8 : 16;
}

// How many pivots further a thread's next quad lies in the left factor, whose rows two or four threads share, and in
// the right one, which has one row per pivot.
static __device__ __forceinline__ int left_step(struct part part) {
    return THREADS / HALF / part.row_groups * GROUP;
}

static __device__ __forceinline__ int right_step(struct part part) {
    return THREADS / SIDE / part.word_groups;
}

// The position of the first of these: row and pivot in the left factor, pivot and quad in the right one.
struct position {
    uint32_t left_row, left_k, right_k, right_quad;
};

static __device__ __forceinline__ struct position position_of(uint32_t thread, struct part part) {
    const uint32_t step = (uint32_t)left_step(part), quads = SIDE * (uint32_t)part.word_groups;
    const struct position position = {thread * GROUP / step, thread * GROUP % step, thread / quads, thread % quads};
    return position;
}

struct stage {
    quad left[2], right[2];
};

static __device__ __forceinline__ void load_stage(struct stage *stage, const uint32_t *left, const uint32_t *right,
                                                  uint64_t pitch, struct part part) {
    FOR_EACH(step, depth_of(part) / left_step(part), 2) {
        stage->left[step] = load_distances(left + step * left_step(part) / PER_WORD);
    }
    FOR_EACH(step, depth_of(part) / right_step(part), 2) {
        stage->right[step] = *(const quad *)(const void *)(right + step * right_step(part) * pitch);
    }
}

// A stage in shared memory. Rows of the left factor are padded, so that the transposed stores of a warp do not
// conflict, or in a small part only in pairs.
struct factors {
    uint32_t left[16][2 * HALF + GROUP];
    quad right[16][2 * SIDE];
};

static __device__ __forceinline__ void share_stage(struct factors *factors, const struct stage *stage,
                                                   struct position position, struct part part) {
    FOR_EACH(step, depth_of(part) / left_step(part), 2) {
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            factors->left[step * left_step(part) + position.left_k + i][position.left_row] =
                stage->left[step].word[i] * (PER_WORD == 2 ? 0x10001 : 1);
        }
    }
    FOR_EACH(step, depth_of(part) / right_step(part), 2) {
        // AMD's compilers put a struct into memory if it is only copied as a whole.
        const uint32_t *words = stage->right[step].word;
        const quad right = {{words[0], words[1], words[2], words[3]}};
        factors->right[step * right_step(part) + position.right_k][position.right_quad] = right;
    }
}

static __device__ __forceinline__ void multiply_stage(quad distance[8][2], const struct factors *factors,
                                                      uint32_t thread, struct part part) {
    const uint32_t row_at = thread / SIDE, word_at = thread % SIDE;
    FOR_EACH_PIVOT(k, depth_of(part)) {
        const quad *rows = (const quad *)(const void *)factors->left[k], *words = factors->right[k];
        const quad row[2] = {rows[row_at], rows[row_at + (part.row_groups - 1) * SIDE]};
        const quad word[2] = {words[word_at], words[word_at + (part.word_groups - 1) * SIDE]};
        update(distance, row, word, part.row_groups, part.word_groups);
    }
}

// The thread's words in one half of a part, in one of its rows.
static __device__ __forceinline__ quad *words_at(uint32_t *w, uint64_t pitch, struct part part, uint32_t i,
                                                 uint32_t half) {
    const uint32_t row = part.row + place_of(i, threadIdx.x / SIDE);
    const uint32_t word = part.word + place_of(half * GROUP, threadIdx.x % SIDE);
    return (quad *)(void *)(w + row * pitch + word);
}

// Whether a word may be updated. A part that is wider than a tile may include columns of the pivots, which other blocks
// read, or of the skipped tile.
static __device__ __forceinline__ uint32_t is_free(uint32_t word, uint32_t pivot, uint32_t skipped, struct part part) {
    const uint32_t tile = word / PIVOT_WORDS;
    return part.word_groups * HALF <= PIVOT_WORDS || (tile != pivot && tile != skipped);
}

// The left factor has a row for each row of the matrix, the right one a row for each pivot. Places and pitches count
// words.
struct factors_at {
    const uint32_t *left, *right;
    uint64_t left_place, right_place, left_pitch, right_pitch;
};

// The pivots' own columns and rows of the matrix.
static __device__ __forceinline__ struct factors_at own_factors(const uint32_t *w, uint64_t pitch, uint32_t pivot) {
    const struct factors_at at = {w, w, pivot * PIVOT_WORDS, pivot * PIVOTS, pitch, pitch};
    return at;
}

// Updates a part.
static __device__ __forceinline__ void multiply(uint32_t *w, uint64_t pitch, struct factors_at from, uint32_t pivot,
                                                uint32_t skipped, struct part part) {
    __shared__ struct factors factors[2];
    const uint32_t thread = threadIdx.x;
    const struct position position = position_of(thread, part);
    const uint32_t *left =
        from.left + (part.row + position.left_row) * from.left_pitch + from.left_place + position.left_k / PER_WORD;
    const uint32_t *right =
        from.right + (from.right_place + position.right_k) * from.right_pitch + part.word + position.right_quad * GROUP;
    quad distance[8][2] = {{{{0}}}};
    FOR_EACH(i, part.row_groups * GROUP, 8) {
        FOR_EACH(group, part.word_groups, 2) {
            if (is_free(part.word + place_of(group * GROUP, thread % SIDE), pivot, skipped, part)) {
                distance[i][group] = *words_at(w, pitch, part, i, group);
            }
        }
    }
    struct stage next;
    load_stage(&next, left, right, from.right_pitch, part);
#pragma unroll 1
    for (int stage = 0; stage < PIVOTS / depth_of(part); stage++) {
        share_stage(&factors[stage % 2], &next, position, part);
        __syncthreads();
        if (stage + 1 < PIVOTS / depth_of(part)) {
            left += depth_of(part) / PER_WORD;
            right += depth_of(part) * from.right_pitch;
            load_stage(&next, left, right, from.right_pitch, part);
        }
        multiply_stage(distance, &factors[stage % 2], thread, part);
    }
    FOR_EACH(i, part.row_groups * GROUP, 8) {
        FOR_EACH(group, part.word_groups, 2) {
            if (is_free(part.word + place_of(group * GROUP, thread % SIDE), pivot, skipped, part)) {
                *words_at(w, pitch, part, i, group) = distance[i][group];
            }
        }
    }
}

// Whether these rows or words, half a part's, are in a tile of this size.
static __device__ __forceinline__ uint32_t is_in(uint32_t half, uint32_t tile, uint32_t size) {
    return half * HALF / size == tile;
}

// The pivot tile is closed by now, so one multiply with it replaces the steps of phase 1. The first in_row blocks
// update half a part's words of the pivots' rows, the others half a tile's rows of their columns, from row first_tile
// of tiles on. The pitch is in words.
KERNEL void __launch_bounds__(THREADS, LARGE_BLOCKS)
    phase2(uint32_t *w, uint32_t pitch, uint32_t pivot, uint32_t in_row, uint32_t first_tile) {
    if (blockIdx.x < in_row) {
        if (!is_in(blockIdx.x, pivot, PIVOT_WORDS)) {
            const struct part part = {pivot * PIVOTS, blockIdx.x * HALF, 2, 1};
            multiply(w, pitch, own_factors(w, pitch, pivot), pivot, pivot, part);
        }
    } else {
        const uint32_t half = first_tile * 2 + blockIdx.x - in_row;
        if (!is_in(half, pivot, PIVOTS)) {
            const struct part part = {half * HALF, pivot * PIVOT_WORDS, 1, PIVOT_WORDS / HALF};
            multiply(w, pitch, own_factors(w, pitch, pivot), pivot, pivot, part);
        }
    }
}

// All rows of tiles from first_tile on, except the rows and columns of the pivots and of another tile.
KERNEL void __launch_bounds__(THREADS, LARGE_BLOCKS)
    phase3(uint32_t *w, uint32_t pitch, uint32_t pivot, uint32_t skipped, uint32_t first_tile) {
    const uint32_t row = first_tile + blockIdx.y, column = blockIdx.x;
    if (row != pivot && row != skipped && (PER_WORD == 2 || (column != pivot && column != skipped))) {
        const struct part part = {row * PIVOTS, column * 2 * HALF, 2, 2};
        multiply(w, pitch, own_factors(w, pitch, pivot), pivot, skipped, part);
    }
}

// Phase 3 of only one tile's rows and columns, in small parts as in phase 2, because there are few.
KERNEL void __launch_bounds__(THREADS, LARGE_BLOCKS)
    phase3_cross(uint32_t *w, uint32_t pitch, uint32_t pivot, uint32_t tile, uint32_t in_row, uint32_t first_tile) {
    const uint32_t across = PIVOT_WORDS / HALF, index = blockIdx.x - in_row;
    const uint32_t row = blockIdx.x < in_row ? tile * 2 + blockIdx.x % 2 : first_tile * 2 + index / across;
    const uint32_t word = blockIdx.x < in_row ? blockIdx.x / 2 : tile * across + index % across;
    const uint32_t twice = blockIdx.x >= in_row && is_in(row, tile, PIVOTS);
    if (!twice && !is_in(row, pivot, PIVOTS) && !is_in(word, pivot, PIVOT_WORDS)) {
        const struct part part = {row * HALF, word * HALF, 1, 1};
        multiply(w, pitch, own_factors(w, pitch, pivot), pivot, pivot, part);
    }
}

// Phase 3 by factors that lie apart from the matrix, as panels that came from another device: the left one has PIVOTS
// columns, the right one as many rows. Leaves out two rows and one column of groups of `group` tiles.
KERNEL void __launch_bounds__(THREADS, LARGE_BLOCKS)
    product(uint32_t *w, uint32_t pitch, const uint32_t *left, const uint32_t *right, uint32_t right_pitch,
            uint32_t group, uint32_t skipped_row, uint32_t other_row, uint32_t skipped_column) {
    const struct factors_at from = {left, right, 0, 0, PIVOT_WORDS, right_pitch};
    const uint32_t row = blockIdx.y / group, column = blockIdx.x / group;
    if (row != skipped_row && row != other_row && column != skipped_column) {
        const struct part part = {blockIdx.y * 2 * HALF, blockIdx.x * 2 * HALF, 2, 2};
        multiply(w, pitch, from, NO_TILE, NO_TILE, part);
    }
}

// The same in quarters of a part, where there are few.
KERNEL void __launch_bounds__(THREADS, LARGE_BLOCKS)
    product_small(uint32_t *w, uint32_t pitch, const uint32_t *left, const uint32_t *right, uint32_t right_pitch) {
    const struct factors_at from = {left, right, 0, 0, PIVOT_WORDS, right_pitch};
    const struct part part = {blockIdx.y * HALF, blockIdx.x * HALF, 1, 1};
    multiply(w, pitch, from, NO_TILE, NO_TILE, part);
}
