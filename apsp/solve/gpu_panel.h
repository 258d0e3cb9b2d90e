// Steps of a blocked solution on a GPU whose factors are panels apart from the matrix.
#ifndef APSP_SOLVE_GPU_PANEL_H
#define APSP_SOLVE_GPU_PANEL_H

#include "apsp/solve/gpu.h"

// ---- Products of panels ----

// Min-plus multiplies on a GPU whose factors are panels apart from the matrix. The kernels must have been built for
// steps of the GPU. Addresses are the device's.

// A matrix, and the words from row to row.
struct apsp_words {
    uint64_t at;
    uint32_t pitch;
};

// Rows or columns of parts, which have 128 rows and words.
struct apsp_parts {
    uint32_t first, count;
};

// to = min(w, left (x) right).
struct apsp_product {
    uint64_t to; // has the pitch of w, and may be w if that is no factor
    struct apsp_words w, left, right;
    uint32_t pivots;
    uint32_t high, wide;                             // parts of w
    struct apsp_parts skipped_rows, skipped_columns; // without a wide panel whole blocks: two of rows, one of columns
};

// All pivots at once (tile_product.cu). The left factor is transposed.
enum status apsp_product_launch_wide(const struct apsp_gpu *gpu, struct stream *stream,
                                     const struct apsp_product *product, struct error *error);

// Makes a left factor of rows of a matrix, of each of which it takes this many words.
enum status apsp_product_transpose(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
                                   struct apsp_words from, uint32_t rows, uint32_t words, struct error *error);

enum status apsp_product_copy(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
                              struct apsp_words from, uint32_t rows, uint32_t words, struct error *error);

// ---- Panels ----

// Steps of a blocked solution whose factors are panels apart from the matrix, for the GPUs of many ranks and for a
// matrix that is streamed through one GPU.
//
// A left panel has the columns of a block of pivots, a right one their rows. A wide left panel is transposed, and a
// multiply takes all pivots at once (tile_product.cu). Otherwise it consists of parts that are a tile wide, one after
// the other, and a multiply takes a tile's pivots at a time (`product` of register_tiled.cu). Either's pitch is the
// number of its rows.

struct apsp_panels {
    struct apsp_gpu closer;          // the kernels that close a pivot block, and those of tile_product.cu
    struct kernel *whole, *quarters; // products, by the parts that a block updates
    uint32_t block;                  // the most pivots
    bool wide;
};

// Builds kernels for up to `block` pivots. Panels are wide if the GPU may have wide tiles and the block has several
// tiles. They must be released even if this fails.
enum status apsp_panels_prepare(struct device *device, uint32_t block, bool wide, struct apsp_panels *panels,
                                struct error *error);
void apsp_panels_release(struct apsp_panels *panels);

// The calls below enqueue their work in a stream. Addresses are the device's, pitches count words, and `pivots`, rows
// and columns are multiples of APSP_REGISTER_TILE.

// Makes a left panel of the columns of a matrix.
enum status apsp_panels_take_left(const struct apsp_panels *panels, struct stream *stream, uint64_t left, uint64_t from,
                                  uint32_t from_pitch, uint32_t rows, uint32_t pivots, struct error *error);

// Where row `row` of a left panel begins, as the left factor of a product.
uint64_t apsp_panels_left_at(const struct apsp_panels *panels, uint64_t left, uint32_t row);

// Closes the block of `pivots` rows and columns at `at`.
enum status apsp_panels_close(const struct apsp_panels *panels, struct stream *stream, uint64_t at, uint32_t pitch,
                              uint32_t pivots, struct error *error);

// narrow: w has few rows or columns, none of which is skipped, so that smaller parts keep more multiprocessors busy.
enum status apsp_panels_multiply(const struct apsp_panels *panels, struct stream *stream,
                                 const struct apsp_product *product, bool narrow, struct error *error);

#endif
