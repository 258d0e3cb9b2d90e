// Steps of a blocked solution whose factors are panels apart from the matrix, for the GPUs of many ranks and for a
// matrix that is streamed through one GPU.
//
// A left panel has the columns of a block of pivots, a right one their rows. A wide left panel is transposed, and a
// multiply takes all pivots at once (tile_product.cu). Otherwise it consists of parts that are a tile wide, one after
// the other, and a multiply takes a tile's pivots at a time.
#ifndef APSP_SOLVE_GPU_PANEL_H
#define APSP_SOLVE_GPU_PANEL_H

#include "apsp/solve/gpu.h"
#include "apsp/solve/gpu_product.h"

struct apsp_panels {
    struct device *device;
    struct apsp_gpu closer; // the kernels that close a pivot block
    struct apsp_product product;
    bool wide;
};

// A multiply w = min(w, left (x) right).
struct apsp_multiply {
    struct apsp_operands operands; // with the whole left panel
    uint32_t left_rows, first_row; // rows of the left panel, and which of them is the first one of w
    uint32_t pivots;
    uint64_t to;                 // 0, or where the result goes instead of w, which may be the right factor then
    struct apsp_skipped skipped; // nothing, if the multiply is narrow
    bool narrow;                 // w has few rows or columns, so that smaller parts keep more multiprocessors busy
};

// Builds kernels for up to `block` pivots. Panels are wide if the GPU may have wide tiles and the block has several
// tiles. They must be released even if this fails.
enum status apsp_panels_prepare(struct device *device, uint32_t block, bool wide, struct apsp_panels *panels,
                                struct error *error);
void apsp_panels_release(struct apsp_panels *panels);

// The calls below enqueue their work in a stream. Addresses are the device's, pitches count words, and `pivots`, rows
// and columns are multiples of APSP_REGISTER_TILE.

enum status apsp_panels_copy(const struct apsp_panels *panels, struct stream *stream, uint64_t to, uint32_t to_pitch,
                             uint64_t from, uint32_t from_pitch, uint32_t rows, uint32_t columns, struct error *error);

// Makes a left panel of the columns of a matrix.
enum status apsp_panels_take_left(const struct apsp_panels *panels, struct stream *stream, uint64_t left, uint64_t from,
                                  uint32_t from_pitch, uint32_t rows, uint32_t pivots, struct error *error);

// Closes the block of `pivots` rows and columns at `at`.
enum status apsp_panels_close(const struct apsp_panels *panels, struct stream *stream, uint64_t at, uint32_t pitch,
                              uint32_t pivots, struct error *error);

enum status apsp_panels_multiply(const struct apsp_panels *panels, struct stream *stream,
                                 const struct apsp_multiply *multiply, struct error *error);

#endif
