// Rounds with tiles of 32 or 64 (whole_round.cu), for small graphs on one GPU. A launch finishes a round and prepares
// the next one, so a solution has a launch for each round, and one before them.
#ifndef APSP_SOLVE_GPU_SMALL_H
#define APSP_SOLVE_GPU_SMALL_H

#include "apsp/solve/gpu.h"

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
