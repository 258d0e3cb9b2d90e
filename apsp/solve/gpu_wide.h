// Rounds with tiles of 256 or 512 (tile_product.cu). A wide tile on the diagonal is a matrix by itself, which
// register_tiled.cu closes. All else are products whose factors are panels apart from the matrix:
//   - the right one has the pivots' rows,
//   - the left one has their columns, transposed.
// Panels and the tiles that GPUs send have two buffers each, for even and odd pivots, so that the next pivot's can be
// made during a round.
#ifndef APSP_SOLVE_GPU_WIDE_H
#define APSP_SOLVE_GPU_WIDE_H

#include "apsp/solve/gpu.h"

// Phase 1.
enum status apsp_wide_close(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);

// Phase 2 of the pivot's rows, which this GPU owns: the closed tile becomes a part of the left panel, the updated rows
// become the right one, and the matrix takes them from there.
enum status apsp_wide_share_tile(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);
enum status apsp_wide_rows(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);
enum status apsp_wide_store_rows(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);

// Phase 2 of the pivot's columns in this GPU's rows: the left panel takes them, and then they are updated by the closed
// tile, which this GPU has closed or received. This completes the left panel.
enum status apsp_wide_take_columns(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);
enum status apsp_wide_columns(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, bool received,
                              struct error *error);

// Copies the closed tile to where it is sent from.
enum status apsp_wide_pack_tile(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);

// Phase 3 of the next pivot's tile and of its other rows, which this GPU owns, and of its columns in this GPU's rows.
enum status apsp_wide_next_tile(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);
enum status apsp_wide_next_rows(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);
enum status apsp_wide_next_columns(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);

// Phase 3 of `count` rows of tiles from `first` on, except for the rows and columns of `skipped` tiles from the pivot
// on.
enum status apsp_wide_rest(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, uint32_t skipped,
                           uint32_t first, uint32_t count, struct error *error);

// The grid of a phase's products; of phase 1 that of its largest launch. One GPU of several may own the pivot.
struct dimensions apsp_wide_grid(const struct apsp_gpu *gpu, enum apsp_step step);

#endif
