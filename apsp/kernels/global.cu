// Blocked Floyd-Warshall from global memory: the ladder's first steps.
//
// The matrix w of distances is cut into tiles. Round p takes the paths through the vertices of tile p, in three phases:
//   1. the pivot tile (p, p), which needs nothing but itself: one block
//   2. the other tiles of its row and its column, which need the pivot and themselves
//   3. all others, which need one tile of the pivot's row and one of its column
// A block updates a tile: w[row][column] = min(w[row][column], w[row][k] + w[k][column]) for every k of the pivot.
// Phases 1 and 2 read what they write, so a barrier follows every k. Within step k no thread writes what another one
// reads, because row k and column k keep their values (a vertex is at distance 0 from itself).
//
// clang-format off
//   TILE               rows and columns of a tile
//   BLOCK_X, BLOCK_Y   threads of a block; each updates every BLOCK_X-th, BLOCK_Y-th element of the tile
//   LINEAR             1: threads and blocks are numbered in one dimension; 0: in two
//   BOUNDED            1: the matrix has vertices^2 elements; 0: it is padded to whole tiles with unreachable vertices
//   BY_COLUMN          1: neighbouring lanes update a column, and each touches another sector; 0: they update a row and
//                      share sectors
// clang-format on
// Constants: TILE=32 BLOCK_X=1024 BLOCK_Y=1 LINEAR=1 BOUNDED=1 BY_COLUMN=1
// Constants: TILE=32 BLOCK_X=16 BLOCK_Y=16 LINEAR=0 BOUNDED=0,1 BY_COLUMN=0,1
// Constants: TILE=80 BLOCK_X=32 BLOCK_Y=13 LINEAR=0 BOUNDED=0 BY_COLUMN=0
#include "device/kernel/kernel.h"

#include "apsp/kernels/matrix.h"

#if LINEAR
#define FOR_EACH_ELEMENT(x, y)                                                                                         \
    for (uint32_t element = threadIdx.x, x = element % TILE, y = element / TILE; element < TILE * TILE;                \
         element += BLOCK_X, x = element % TILE, y = element / TILE)
#else
#define FOR_EACH_ELEMENT(x, y)                                                                                         \
    for (uint32_t y = threadIdx.y; y < TILE; y += BLOCK_Y)                                                             \
        for (uint32_t x = threadIdx.x; x < TILE; x += BLOCK_X)
#endif

struct cell {
    uint32_t row, column;
};

// The row and column of element (x, y) of a tile.
static inline __device__ struct cell cell_of(uint32_t tile_row, uint32_t tile_column, uint32_t x, uint32_t y) {
#if BY_COLUMN
    struct cell cell = {tile_row * TILE + x, tile_column * TILE + y};
#else
    struct cell cell = {tile_row * TILE + y, tile_column * TILE + x};
#endif
    return cell;
}

static inline __device__ uint32_t inside(struct cell cell, uint32_t vertices) {
    return !BOUNDED || (cell.row < vertices && cell.column < vertices);
}

// The last round has fewer pivots if the matrix is not padded.
static inline __device__ uint32_t last_pivot(uint32_t pivot, uint32_t vertices) {
    const uint32_t end = (pivot + 1) * TILE;
    return BOUNDED && end > vertices ? vertices : end;
}

// Phases 1 and 2 of one tile.
static inline __device__ void update_in_steps(int32_t *w, uint64_t pitch, uint32_t vertices, uint32_t pivot,
                                              uint32_t tile_row, uint32_t tile_column) {
    const uint32_t end = last_pivot(pivot, vertices);
    for (uint32_t k = pivot * TILE; k < end; k++) {
        FOR_EACH_ELEMENT(x, y) {
            const struct cell at = cell_of(tile_row, tile_column, x, y);
            if (at.row != k && at.column != k && inside(at, vertices)) {
                int32_t *element = &w[at.row * pitch + at.column];
                *element = add_min(w[at.row * pitch + k], w[k * pitch + at.column], *element);
            }
        }
        __syncthreads();
    }
}

KERNEL void phase1(int32_t *w, uint32_t pitch, uint32_t pivot, uint32_t vertices) {
    update_in_steps(w, pitch, vertices, pivot, pivot, pivot);
}

// Blocks of even number update tiles of the pivot's row, the others tiles of its column.
KERNEL void phase2(int32_t *w, uint32_t pitch, uint32_t pivot, uint32_t vertices) {
    const uint32_t tile = OTHER(blockIdx.x / 2, pivot);
    const uint32_t in_row = blockIdx.x % 2 == 0;
    update_in_steps(w, pitch, vertices, pivot, in_row ? pivot : tile, in_row ? tile : pivot);
}

// No tile of this phase depends on another one, so there are no barriers and an element stays in a register.
KERNEL void phase3(int32_t *w, uint32_t pitch_words, uint32_t pivot, uint32_t vertices) {
    const uint64_t pitch = pitch_words;
    const uint32_t end = last_pivot(pivot, vertices);
#if LINEAR
    const uint32_t others = (vertices + TILE - 1) / TILE - 1;
    const uint32_t tile_row = OTHER(blockIdx.x / others, pivot), tile_column = OTHER(blockIdx.x % others, pivot);
#else
    const uint32_t tile_row = OTHER(blockIdx.y, pivot), tile_column = OTHER(blockIdx.x, pivot);
#endif
    FOR_EACH_ELEMENT(x, y) {
        const struct cell at = cell_of(tile_row, tile_column, x, y);
        if (inside(at, vertices)) {
            int32_t distance = w[at.row * pitch + at.column];
            for (uint32_t k = pivot * TILE; k < end; k++) {
                distance = add_min(w[at.row * pitch + k], w[k * pitch + at.column], distance);
            }
            w[at.row * pitch + at.column] = distance;
        }
    }
}
