// Moves the matrix onto a GPU and back.
#ifndef APSP_SOLVE_GPU_TRANSFER_H
#define APSP_SOLVE_GPU_TRANSFER_H

#include "apsp/solve/gpu.h"

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
