// Min-plus multiplies on a GPU whose factors are panels apart from the matrix: by the kernels `product` of
// register_tiled.cu for a tile's pivots, and by tile_product.cu for all pivots of larger tiles and of panels.
#ifndef APSP_SOLVE_GPU_PRODUCT_H
#define APSP_SOLVE_GPU_PRODUCT_H

#include "apsp/solve/gpu.h"

struct apsp_product {
    struct device *device;
    struct kernel *whole, *quarters; // of the parts that a block updates
};

// Sizes in elements, multiples of APSP_REGISTER_TILE; addresses on the device. The left panel has rows of
// APSP_REGISTER_TILE elements, the right one that many rows.
struct apsp_operands {
    uint64_t w, left, right;
    uint32_t rows, columns, pitch, right_pitch;
};

// What a multiply leaves out: two rows of blocks, which are neighbours, and one column. UINT32_MAX: none.
struct apsp_skipped {
    uint32_t block; // rows and columns of a block
    uint32_t row, other_row, column;
};

enum status apsp_product_build(struct device *device, struct apsp_product *product, struct error *error);
void apsp_product_release(struct apsp_product *product);

// Enqueues w = min(w, left (x) right).
enum status apsp_product_launch(const struct apsp_product *product, struct stream *stream,
                                const struct apsp_operands *operands, const struct apsp_skipped *skipped,
                                struct error *error);

// The same for narrow matrices, in smaller parts, so that more multiprocessors take part.
enum status apsp_product_launch_narrow(const struct apsp_product *product, struct stream *stream,
                                       const struct apsp_operands *operands, struct error *error);

// ---- All pivots at once ----

// The kernels below must have been built for steps of the GPU. Addresses are the device's.

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

enum status apsp_product_launch_wide(const struct apsp_gpu *gpu, struct stream *stream,
                                     const struct apsp_tile_product *product, struct error *error);

// Makes a left factor of rows of a matrix, of each of which it takes this many words.
enum status apsp_product_transpose(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
                                   struct apsp_words from, uint32_t rows, uint32_t words, struct error *error);

enum status apsp_product_copy(const struct apsp_gpu *gpu, struct stream *stream, struct apsp_words to,
                              struct apsp_words from, uint32_t rows, uint32_t words, struct error *error);

#endif
