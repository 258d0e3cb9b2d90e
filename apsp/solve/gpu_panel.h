// Steps of a blocked solution whose factors are panels apart from the matrix, for the GPUs of many ranks and for a
// matrix that is streamed through one GPU.
//
// A left panel has the columns of a block of pivots. It consists of parts that are a tile wide, one after the other, so
// that each is the left factor of a multiply. A closed pivot block is such a panel, too. A right panel has the rows of
// the pivots.
#ifndef APSP_SOLVE_GPU_PANEL_H
#define APSP_SOLVE_GPU_PANEL_H

#include "apsp/solve/gpu.h"
#include "apsp/solve/gpu_product.h"

struct apsp_panels {
    struct device *device;
    uint32_t block;         // the most pivots, a multiple of APSP_REGISTER_TILE
    uint64_t closing;       // a pivot block, row by row
    struct apsp_gpu closer; // the kernels that close it
    struct apsp_product product;
    struct kernel *copy;
    bool wide; // two blocks of tile_product.cu fit into a unit
};

// Builds kernels and allocates memory. The panels must be released even if this fails.
enum status apsp_panels_prepare(struct device *device, uint32_t block, struct apsp_panels *panels, struct error *error);
void apsp_panels_release(struct apsp_panels *panels);

// The calls below enqueue their work in a stream. Addresses are the device's, pitches count words, and `pivots`, rows
// and columns are multiples of APSP_REGISTER_TILE.

enum status apsp_panels_copy(const struct apsp_panels *panels, struct stream *stream, uint64_t to, uint32_t to_pitch,
                             uint64_t from, uint32_t from_pitch, uint32_t rows, uint32_t columns, struct error *error);

// Copies columns of a matrix into a left panel.
enum status apsp_panels_take_left(const struct apsp_panels *panels, struct stream *stream, uint64_t left, uint64_t from,
                                  uint32_t from_pitch, uint32_t rows, uint32_t pivots, struct error *error);

// Closes the block of `pivots` rows and columns at `from` and writes it to the panel `closed`.
enum status apsp_panels_close(const struct apsp_panels *panels, struct stream *stream, uint64_t from,
                              uint32_t from_pitch, uint32_t pivots, uint64_t closed, struct error *error);

// w = min(w, left (x) right) with a left panel of left_rows rows, whose first one may be any of them. Without `skipped`
// the multiply is narrow: smaller parts, so that more multiprocessors take part.
enum status apsp_panels_multiply(const struct apsp_panels *panels, struct stream *stream, struct apsp_operands operands,
                                 uint32_t left_rows, uint32_t pivots, const struct apsp_skipped *skipped,
                                 struct error *error);

// w = min(w, columns (x) right), where the columns are those of a matrix at `from`, in as many rows as w has.
// operands->left is memory for them.
enum status apsp_panels_multiply_columns(const struct apsp_panels *panels, struct stream *stream,
                                         const struct apsp_operands *operands, uint64_t from, uint32_t from_pitch,
                                         uint32_t pivots, struct error *error);

#endif
