// Blocked Floyd-Warshall from shared memory. The phases are those of global.cu on a padded matrix. A block first copies
// the tiles that it needs into shared memory, so that it reads no distance twice from global memory.
//
// clang-format off
//   TILE                 rows and columns of a tile
//   BLOCK_X, BLOCK_Y     threads of a block; each has every BLOCK_X-th, BLOCK_Y-th element of the tile in registers
//   BY_COLUMN            1: tiles are filled and read along columns, so the lanes of a warp are TILE words apart, in the
//                        same bank if TILE is a multiple of 32. 0: along rows, where no two lanes share a bank unless
//                        a block is narrower than the warp and its rows begin in the same bank
//   UNROLL               unroll factor of the loop over pivots
// clang-format on
// Constants: TILE=32 BLOCK_X=16 BLOCK_Y=16 BY_COLUMN=0,1 UNROLL=1
// Constants: TILE=64 BLOCK_X=32 BLOCK_Y=8 BY_COLUMN=0 UNROLL=16
// Constants: TILE=78 BLOCK_X=39 BLOCK_Y=13 BY_COLUMN=0 UNROLL=1
#include "device/kernel/kernel.h"

#include "apsp/kernels/matrix.h"

#define STEPS(size, block) (((size) + (block)-1) / (block))
#define X_STEPS STEPS(TILE, BLOCK_X)
#define Y_STEPS STEPS(TILE, BLOCK_Y)
#define TILE_WORDS (TILE * TILE)

// Visits the thread's elements: x and y count in the tile, i and j in its registers. If the block divides the tile, the
// test is always true and the compiler removes it. Indices are signed: sums of unsigned ones may wrap around, so that
// NVRTC computes an address for each access to shared memory in place of adding a constant.
#define FOR_EACH_ELEMENT(x, y, i, j)                                                                                   \
    _Pragma("unroll") for (int32_t j = 0; j < Y_STEPS; j++) _Pragma(                                                   \
        "unroll") for (int32_t i = 0, x = (int32_t)threadIdx.x, y = (int32_t)threadIdx.y + j * BLOCK_Y; i < X_STEPS;   \
                       i++, x += BLOCK_X) if ((TILE % BLOCK_X == 0 || x < TILE) && (TILE % BLOCK_Y == 0 || y < TILE))

// The row and column of element (x, y).
#if BY_COLUMN
#define ROW(x, y) (x)
#define COLUMN(x, y) (y)
#else
#define ROW(x, y) (y)
#define COLUMN(x, y) (x)
#endif

static inline __device__ int32_t *tile_at(int32_t *w, int64_t pitch, uint32_t tile_row, uint32_t tile_column) {
    return w + tile_row * TILE * pitch + tile_column * TILE;
}

static inline __device__ void fill_tile(int32_t *tile, const int32_t *from, int64_t pitch) {
    FOR_EACH_ELEMENT(x, y, i, j) {
        tile[ROW(x, y) * TILE + COLUMN(x, y)] = from[ROW(x, y) * pitch + COLUMN(x, y)];
    }
}

// Each step reads what the step before wrote. A barrier separates the reads of a step from its writes. The tile is
// volatile, because the compiler must not keep in a register what another thread may have changed.
KERNEL void phase1(int32_t *w, uint32_t pitch_words, uint32_t pivot) {
    DYNAMIC_SHARED(int32_t, words);
    const int64_t pitch = pitch_words;
    volatile int32_t *tile = words;
    int32_t *own = tile_at(w, pitch, pivot, pivot);
    fill_tile(words, own, pitch);
    __syncthreads();
    int32_t distance[Y_STEPS][X_STEPS];
    for (int32_t k = 0; k < TILE; k++) {
        FOR_EACH_ELEMENT(x, y, i, j) {
            const int32_t row = ROW(x, y), column = COLUMN(x, y);
            const int32_t before = tile[row * TILE + column];
            distance[j][i] = add_min(tile[row * TILE + k], tile[k * TILE + column], before);
        }
        __syncthreads();
        FOR_EACH_ELEMENT(x, y, i, j) {
            tile[ROW(x, y) * TILE + COLUMN(x, y)] = distance[j][i];
        }
        __syncthreads();
    }
    FOR_EACH_ELEMENT(x, y, i, j) {
        own[ROW(x, y) * pitch + COLUMN(x, y)] = distance[j][i];
    }
}

// own = min(own, left (x) right), both in shared memory: the loop that takes nearly all the time.
static inline __device__ void multiply(int32_t *own, int64_t pitch, const int32_t *left, const int32_t *right) {
    int32_t distance[Y_STEPS][X_STEPS];
    FOR_EACH_ELEMENT(x, y, i, j) {
        distance[j][i] = own[ROW(x, y) * pitch + COLUMN(x, y)];
    }
#if UNROLL > 1
#pragma unroll 16
#else
#pragma unroll 1
#endif
    for (int32_t k = 0; k < TILE; k++) {
        FOR_EACH_ELEMENT(x, y, i, j) {
            distance[j][i] = add_min(left[ROW(x, y) * TILE + k], right[k * TILE + COLUMN(x, y)], distance[j][i]);
        }
    }
    FOR_EACH_ELEMENT(x, y, i, j) {
        own[ROW(x, y) * pitch + COLUMN(x, y)] = distance[j][i];
    }
}

// The pivot tile is closed by now, so one multiply with it replaces the steps of phase 1. Blocks of even number have
// tiles of the pivot's row, the others of its column.
KERNEL void phase2(int32_t *w, uint32_t pitch, uint32_t pivot) {
    DYNAMIC_SHARED(int32_t, words);
    const uint32_t is_in_row = blockIdx.x % 2 == 0, tile = OTHER(blockIdx.x / 2, pivot);
    int32_t *own = is_in_row ? tile_at(w, pitch, pivot, tile) : tile_at(w, pitch, tile, pivot);
    const int32_t *pivot_tile = tile_at(w, pitch, pivot, pivot);
    fill_tile(words, is_in_row ? pivot_tile : own, pitch);
    fill_tile(words + TILE_WORDS, is_in_row ? own : pivot_tile, pitch);
    __syncthreads();
    multiply(own, pitch, words, words + TILE_WORDS);
}

KERNEL void phase3(int32_t *w, uint32_t pitch, uint32_t pivot) {
    DYNAMIC_SHARED(int32_t, words);
    const uint32_t tile_row = OTHER(blockIdx.y, pivot), tile_column = OTHER(blockIdx.x, pivot);
    fill_tile(words, tile_at(w, pitch, tile_row, pivot), pitch);
    fill_tile(words + TILE_WORDS, tile_at(w, pitch, pivot, tile_column), pitch);
    __syncthreads();
    multiply(tile_at(w, pitch, tile_row, tile_column), pitch, words, words + TILE_WORDS);
}
