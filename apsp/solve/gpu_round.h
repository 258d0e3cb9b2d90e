// The parts of a round on one GPU, with tiles of register_tiled.cu, with wide or with small ones, and the steps outside
// of rounds.
#ifndef APSP_SOLVE_GPU_ROUND_H
#define APSP_SOLVE_GPU_ROUND_H

#include "apsp/solve/gpu.h"

// Enqueues this GPU's part of a step: it updates its own rows, in phase 2 also the pivot's row. For APSP_ZERO_HOPS
// `pivot` is the number of the pass.
enum status apsp_round_step(struct apsp_gpu *gpu, struct stream *stream, enum apsp_step step, uint32_t pivot,
                            struct error *error);

// Parts of phase 3. What the next pivot needs, whose rows this GPU owns.
enum status apsp_round_next(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);
// Half of everything else, 0 or 1. With tiles of register_tiled.cu the first half is all of it.
enum status apsp_round_rest(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, uint32_t half,
                            struct error *error);

// The grid of a step; with wide tiles of all products of a phase together.
struct dimensions apsp_round_grid(const struct apsp_gpu *gpu, enum apsp_step step);

// ---- Arithmetic of a round ----

// The number of min-plus updates of a solution, and the least time that a device's arithmetic takes for them.

// Updates of a phase in a solution, by all GPUs that share it; NaN for a step without updates.
double apsp_gpu_updates(const struct apsp_gpu *gpu, enum apsp_step step);

// Updates a second, in 10^9, that the arithmetic allows at this clock or the stated one, whichever is higher; NaN if
// the model does not know the part.
double apsp_gpu_peak_gop_s(const struct apsp_gpu *gpu, double clock_mhz);

// The least time that the arithmetic of one launch takes; NaN if either of the above is.
double apsp_gpu_least_ns(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot);

// ---- Small tiles ----

// Rounds with tiles of 32 or 64 (whole_round.cu), for small graphs on one GPU. A launch finishes a round and prepares
// the next one, so a solution has a launch for each round, and one before them.

// Bytes of shared memory that a block needs.
uint32_t apsp_small_shared_bytes(uint32_t tile, uint32_t columns);

// Blocks that a launch has.
struct apsp_small_blocks {
    uint32_t prepare; // the round `next`
    uint32_t finish;  // the one before it
};

// All blocks of the launch that prepares the round `next`. The first launch finishes none, the last one prepares none.
struct apsp_small_blocks apsp_small_blocks(const struct apsp_gpu *gpu, uint32_t next);

enum status apsp_small_round(struct apsp_gpu *gpu, struct stream *stream, uint32_t next,
                             struct apsp_small_blocks blocks, struct error *error);

#endif
