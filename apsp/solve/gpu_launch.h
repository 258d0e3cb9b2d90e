// The steps of a solution as kernel launches on one GPU.
#ifndef APSP_SOLVE_GPU_LAUNCH_H
#define APSP_SOLVE_GPU_LAUNCH_H

#include "apsp/solve/gpu.h"

// Grid and block of a step's launch.
struct dimensions apsp_gpu_grid(const struct apsp_gpu *gpu, enum apsp_step step);
struct dimensions apsp_gpu_block(const struct apsp_gpu *gpu, enum apsp_step step);

// Launches the kernel of a step, unless the grid is empty.
enum status apsp_gpu_enqueue(const struct apsp_gpu *gpu, struct stream *stream, enum apsp_step step,
                             const struct launch *launch, struct error *error);

// Launches this GPU's part of a step: it updates its own rows, in phase 2 also the pivot's row. For APSP_ZERO_HOPS
// `pivot` is the number of the pass.
enum status apsp_gpu_launch(const struct apsp_gpu *gpu, struct stream *stream, enum apsp_step step, uint32_t pivot,
                            struct error *error);

// Closes a square of `pivots` rows at this address of the matrix, as a matrix of smaller tiles.
enum status apsp_gpu_launch_close(const struct apsp_gpu *gpu, struct stream *stream, uint64_t at, uint32_t pivots,
                                  struct error *error);

// These launch parts of register_tiled.cu's second phase: the pivot's row, and its column in this GPU's rows.
enum status apsp_gpu_launch_pivot_row(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);
enum status apsp_gpu_launch_pivot_column(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot,
                                         struct error *error);

// These launch parts of its third phase.

// What the next pivot needs: its column in this GPU's rows and, if this GPU owns it, its row.
enum status apsp_gpu_launch_next(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, bool with_rows,
                                 struct error *error);
// Everything that apsp_gpu_launch_next left.
enum status apsp_gpu_launch_rest(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);

#endif
