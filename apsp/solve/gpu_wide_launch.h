// Launches of tile_product.cu and panel.cu, for wide tiles (gpu_wide.h) and for panels (gpu_panel.h). Addresses are the
// device's. The kernels must have been built for steps of the GPU.
#ifndef APSP_SOLVE_GPU_WIDE_LAUNCH_H
#define APSP_SOLVE_GPU_WIDE_LAUNCH_H

#include "apsp/solve/gpu.h"

// A matrix, and the words from row to row.
struct apsp_words {
    uint64_t at;
    uint32_t pitch;
};

// Rows or columns of parts, which have 128 rows and words.
struct apsp_parts {
    uint32_t first, count;
};

// to = min(w, left (x) right). The left factor is transposed.
struct apsp_tile_product {
    uint64_t to; // has the pitch of w, and may be w if that is no factor
    struct apsp_words w, left, right;
    uint32_t pivots;
    uint32_t high, wide; // parts of w
    struct apsp_parts skipped_rows, skipped_columns;
};

enum status apsp_wide_launch_product(const struct apsp_gpu *gpu, struct stream *stream,
                                     const struct apsp_tile_product *product, struct error *error);

// Makes a left factor of rows of a matrix, of each of which it takes this many words.
enum status apsp_wide_launch_transpose(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
                                       struct apsp_words from, uint32_t rows, uint32_t words, struct error *error);

enum status apsp_wide_launch_copy(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
                                  struct apsp_words from, uint32_t rows, uint32_t words, struct error *error);

// Closes a square of `pivots` rows at this address of the matrix, as a matrix of smaller tiles.
enum status apsp_wide_launch_close(const struct apsp_gpu *gpu, struct stream *stream, uint64_t at, uint32_t pivots,
                                   struct error *error);

#endif
