// The steps of a solution as kernel launches on one GPU, and the copies of its matrix before and after them.
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

// ---- The matrix, onto the GPU and back ----

// Copies the edges, or the matrix that graph_distances made of them. distances may be NULL if the settings say that the
// GPU makes the matrix.
enum status apsp_gpu_copy_in(struct apsp_gpu *gpu, const struct graph *graph, const int32_t *distances,
                             struct error *error);

// Makes the matrix of the edges, if the settings say so, and waits for it.
enum status apsp_gpu_initialise(struct apsp_gpu *gpu, struct error *error);

// Copies this GPU's rows to their position in a matrix of vertices^2 words on the host.
enum status apsp_gpu_copy_out(struct apsp_gpu *gpu, int32_t *distances, struct error *error);

// Waits for the latest passes of APSP_ZERO_HOPS, tells whether they have found a hop, and resets that.
enum status apsp_gpu_take_found(struct apsp_gpu *gpu, bool *found, struct error *error);

// Copies the next hops of all paths to the host.
enum status apsp_gpu_copy_next(struct apsp_gpu *gpu, int32_t *next, struct error *error);

#endif
