// Cures for bank conflicts, on the transpose of a square matrix by tiles of 32 x 32, a block of 32 x 8 threads each.
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

// Reads rows, writes columns: every lane of a store has a sector of its own.
KERNEL void transpose_naive(const word_t *RESTRICT in, word_t *RESTRICT out, uint64_t side) {
    for (int row = 0; row < TILE; row += ROWS) {
        out[COLUMN_IN * side + ROW_IN + row] = in[(ROW_IN + row) * side + COLUMN_IN];
    }
}

// Through a tile in shared memory, written by rows and read by columns, so that global memory sees rows alone.
// place(row, column) says where in its row of `columns` words an element lies.
#define TRANSPOSE_THROUGH_TILE(name, columns, place)                                                                   \
    KERNEL void name(const word_t *RESTRICT in, word_t *RESTRICT out, uint64_t side) {                                 \
        __shared__ word_t tile[TILE][columns];                                                                         \
        for (uint32_t row = threadIdx.y; row < TILE; row += ROWS) {                                                    \
            tile[row][place(row, threadIdx.x)] = in[((uint64_t)blockIdx.y * TILE + row) * side + COLUMN_IN];           \
        }                                                                                                              \
        __syncthreads();                                                                                               \
        for (uint32_t row = threadIdx.y; row < TILE; row += ROWS) {                                                    \
            out[((uint64_t)blockIdx.x * TILE + row) * side + COLUMN_OUT] = tile[threadIdx.x][place(threadIdx.x, row)]; \
        }                                                                                                              \
    }

#define PLAIN(row, column) (column)
#define SWIZZLED(row, column) ((column) ^ (row))

// A column of 4-byte elements lies in one bank: 32 passes.
TRANSPOSE_THROUGH_TILE(transpose_shared, TILE, PLAIN)

// A 33rd column, never used, moves each row one bank on: no conflict, 1/32 more memory.
TRANSPOSE_THROUGH_TILE(transpose_padded, TILE + 1, PLAIN)

// The column number xor the row number does the same with no more memory.
TRANSPOSE_THROUGH_TILE(transpose_swizzled, TILE, SWIZZLED)
