// Remedies for bank conflicts in the transpose of a square matrix by tiles of 32 x 32, one block of 32 x 8 threads per
// tile.
#include "device/kernel/kernel.h"

#define TILE 32
#define ROWS 8 // of threads

#define ROW_IN ((uint64_t)blockIdx.y * TILE + threadIdx.y)
#define COLUMN_IN ((uint64_t)blockIdx.x * TILE + threadIdx.x)
#define COLUMN_OUT ((uint64_t)blockIdx.y * TILE + threadIdx.x)

// The yardstick: the same tiles, copied.
KERNEL void tile_copy(const word_t *RESTRICT in, word_t *RESTRICT out, uint64_t side) {
    for (int row = 0; row < TILE; row += ROWS) {
        out[(ROW_IN + row) * side + COLUMN_IN] = in[(ROW_IN + row) * side + COLUMN_IN];
    }
}

// Reads rows and writes columns, so every lane of a store needs a separate sector.
KERNEL void transpose_naive(const word_t *RESTRICT in, word_t *RESTRICT out, uint64_t side) {
    for (int row = 0; row < TILE; row += ROWS) {
        out[COLUMN_IN * side + ROW_IN + row] = in[(ROW_IN + row) * side + COLUMN_IN];
    }
}

// Through a tile in shared memory, written by rows and read by columns, so that global memory sees only rows.
// slot(row, column) is an element's index in its row of `columns` words.
#define TRANSPOSE_THROUGH_TILE(name, columns, slot)                                                                    \
    KERNEL void name(const word_t *RESTRICT in, word_t *RESTRICT out, uint64_t side) {                                 \
        __shared__ word_t tile[TILE][columns];                                                                         \
        for (uint32_t row = threadIdx.y; row < TILE; row += ROWS) {                                                    \
            tile[row][slot(row, threadIdx.x)] = in[((uint64_t)blockIdx.y * TILE + row) * side + COLUMN_IN];            \
        }                                                                                                              \
        __syncthreads();                                                                                               \
        for (uint32_t row = threadIdx.y; row < TILE; row += ROWS) {                                                    \
            out[((uint64_t)blockIdx.x * TILE + row) * side + COLUMN_OUT] = tile[threadIdx.x][slot(threadIdx.x, row)];  \
        }                                                                                                              \
    }

#define PLAIN(row, column) (column)
#define SWIZZLED(row, column) ((column) ^ (row))

// A column of 4-byte elements lies in one bank, which takes 32 passes.
TRANSPOSE_THROUGH_TILE(transpose_shared, TILE, PLAIN)

// A 33rd column, which is unused, shifts each row by one bank: no conflicts, 1/32 more memory.
TRANSPOSE_THROUGH_TILE(transpose_padded, TILE + 1, PLAIN)

// The column number xor the row number does the same without more memory.
TRANSPOSE_THROUGH_TILE(transpose_swizzled, TILE, SWIZZLED)
