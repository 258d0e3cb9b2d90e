// The third phase as a min-plus matrix multiply in registers: w = min(w, w[*][pivots] (x) w[pivots][*]).
//
// shared.cu reads two words of shared memory for every update, or as many fewer as a thread has elements in a row and
// in a column. Here a thread has 8 x 8: 16 words, loaded 16 bytes at once, serve 64 updates, so that arithmetic is what
// limits. A block of 256 threads has a part of 128 rows by 128 words. The pivots come in stages of DEPTH: while one
// stage is multiplied the next one is on its way from global memory into registers, and then into the other half of
// shared memory. The part's own distances are asked for together with the first stage: a block waits for memory once,
// while another one of its multiprocessor multiplies.
//
// At BITS = 16 a word holds two neighbouring distances and one instruction updates both: the part is 256 columns wide.
// A left factor's distance is repeated in both halves when it is stored.
//
// Constants: BITS=16,32
#include "device/kernel.h"

enum {
    PIVOTS = 64,                 // of a round
    DEPTH = BITS == 16 ? 8 : 16, // of a stage; at 16 bits the registers hold no more
    ROWS = 128,                  // of a part
    WORDS = 128,                 // of a part's row
    LEFT_PITCH = 132,            // four more, so that the transposed stores of a warp meet in no bank
    THREADS = 256,               // of a block
    BLOCKS = 2,                  // of a multiprocessor: with THREADS it says how many registers a thread may have
    GROUP = 4,                   // neighbouring rows or words that a thread has
    STEP = 8,                    // pivots of a stage that a block loads at once, a quad of each factor a thread
    STEPS = DEPTH / STEP,
    STAGES = PIVOTS / DEPTH
};

typedef struct __attribute__((aligned(16))) {
    uint32_t word[GROUP];
} quad;

#if BITS == 16
#define PER_WORD 2
#define ADD_MIN(a, b, c) add_min_u16x2(a, b, c)
#else
#define PER_WORD 1
#define ADD_MIN(a, b, c) ((uint32_t)add_min((int32_t)(a), (int32_t)(b), (int32_t)(c)))
#endif

// Four distances of the left factor, along a row.
static inline __device__ quad load_left(const uint32_t *from) {
#if BITS == 16
    const uint32_t first = from[0], second = from[1];
    const quad left = {
        {(first & 0xffff) * 0x10001, (first >> 16) * 0x10001, (second & 0xffff) * 0x10001, (second >> 16) * 0x10001}};
    return left;
#else
    return *(const quad *)(const void *)from;
#endif
}

// The thread's rows or words in a part: a group in its first half and one in its second.
static inline __device__ uint32_t own(uint32_t index, uint32_t thread) {
    return index / GROUP * (ROWS / 2) + thread * GROUP + index % GROUP;
}

// What a thread loads of a stage.
struct stage {
    quad left[STEPS], right[STEPS];
};

static inline __device__ void load_stage(struct stage *stage, const uint32_t *left, const uint32_t *right,
                                         uint64_t pitch) {
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        stage->left[step] = load_left(left + step * STEP / PER_WORD);
        stage->right[step] = *(const quad *)(const void *)(right + step * STEP * pitch);
    }
}

// w in words; pitch in words. Parts cover the matrix from row first_part * ROWS on. The pivots' own rows and columns
// are final and read by other blocks: they are not written.
KERNEL void __launch_bounds__(THREADS, BLOCKS)
    phase3(uint32_t *w, uint32_t pitch_words, uint32_t pivot, uint32_t first_part) {
    __shared__ uint32_t left[2][DEPTH][LEFT_PITCH];
    __shared__ quad right[2][DEPTH][WORDS / GROUP];
    const uint64_t pitch = pitch_words;
    const uint32_t thread = threadIdx.x, thread_row = thread / 16, thread_word = thread % 16;
    const uint32_t left_row = thread / 2, left_k = thread % 2 * GROUP, right_k = thread / 32, right_quad = thread % 32;
    const uint32_t first_row = (first_part + blockIdx.y) * ROWS, first_word = blockIdx.x * WORDS;
    const uint32_t *left_from = w + (first_row + left_row) * pitch + (pivot * PIVOTS + left_k) / PER_WORD;
    const uint32_t *right_from = w + (pivot * PIVOTS + right_k) * pitch + first_word + right_quad * GROUP;
    quad distance[8][2];
#pragma unroll
    for (int i = 0; i < 8; i++) {
#pragma unroll
        for (int group = 0; group < 2; group++) {
            const uint64_t at = (first_row + own(i, thread_row)) * pitch + first_word + own(group * GROUP, thread_word);
            distance[i][group] = *(const quad *)(const void *)(w + at);
        }
    }
    struct stage next;
    load_stage(&next, left_from, right_from, pitch);
#pragma unroll 1
    for (uint32_t stage = 0; stage < STAGES; stage++) {
        const uint32_t half = stage % 2;
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
#pragma unroll
            for (int i = 0; i < GROUP; i++) {
                left[half][step * STEP + left_k + i][left_row] = next.left[step].word[i];
            }
            right[half][step * STEP + right_k][right_quad] = next.right[step];
        }
        __syncthreads();
        if (stage + 1 < STAGES) {
            left_from += DEPTH / PER_WORD;
            right_from += DEPTH * pitch;
            load_stage(&next, left_from, right_from, pitch);
        }
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            const quad *rows = (const quad *)(const void *)left[half][k], *words = right[half][k];
            const quad row[2] = {rows[thread_row], rows[thread_row + ROWS / 2 / GROUP]};
            const quad word[2] = {words[thread_word], words[thread_word + WORDS / 2 / GROUP]};
#pragma unroll
            for (int i = 0; i < 8; i++) {
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    uint32_t *at = &distance[i][j / GROUP].word[j % GROUP];
                    *at = ADD_MIN(row[i / GROUP].word[i % GROUP], word[j / GROUP].word[j % GROUP], *at);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const uint32_t row = first_row + own(i, thread_row);
#pragma unroll
        for (int group = 0; group < 2; group++) {
            const uint32_t at = first_word + own(group * GROUP, thread_word);
            if (row / PIVOTS != pivot && at * PER_WORD / PIVOTS != pivot) {
                *(quad *)(void *)(w + row * pitch + at) = distance[i][group];
            }
        }
    }
}
