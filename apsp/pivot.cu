// Phase 1 with the pivot tile in registers: what all else of a round waits for has one block to run, so its steps
// count.
//
// shared.cu keeps the tile in shared memory and needs two barriers a step, to part its reads from its writes. Here each
// of 256 threads has 4 x 4 elements. A step needs the tile's row and column k alone: who has them puts them into shared
// memory, into one of two buffers by turns, so that after one barrier all may read, and the next step need not wait for
// them.
//
// Constants: BITS=16,32
#include "device/kernel.h"

enum {
    TILE = 64,
    GROUP = 4, // neighbouring rows or columns that a thread has
    SIDE = TILE / GROUP
};

#if BITS == 16
typedef uint16_t distance_t;
#else
typedef int32_t distance_t;
#endif

typedef struct __attribute__((aligned(16))) {
    int32_t word[GROUP];
} quad;

KERNEL void __launch_bounds__(SIDE *SIDE) phase1(distance_t *w, uint32_t pitch_words, uint32_t pivot) {
    __shared__ quad rows[2][SIDE], columns[2][SIDE];
    const uint64_t pitch = pitch_words;
    const uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    distance_t *own = w + (pivot * TILE + y * GROUP) * pitch + pivot * TILE + x * GROUP;
    quad distance[GROUP];
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
#pragma unroll
        for (int j = 0; j < GROUP; j++) {
            distance[i].word[j] = own[i * pitch + j];
        }
    }
    for (uint32_t group = 0; group < SIDE; group++) {
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            if (y == group) {
                rows[k % 2][x] = distance[k];
            }
            if (x == group) {
                const quad column = {
                    {distance[0].word[k], distance[1].word[k], distance[2].word[k], distance[3].word[k]}};
                columns[k % 2][y] = column;
            }
            __syncthreads();
            const quad row = rows[k % 2][x], column = columns[k % 2][y];
#pragma unroll
            for (int i = 0; i < GROUP; i++) {
#pragma unroll
                for (int j = 0; j < GROUP; j++) {
                    distance[i].word[j] = add_min(column.word[i], row.word[j], distance[i].word[j]);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
#pragma unroll
        for (int j = 0; j < GROUP; j++) {
            own[i * pitch + j] = (distance_t)distance[i].word[j];
        }
    }
}
