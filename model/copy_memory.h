// What one request costs whose lanes copy from global to shared memory (NVIDIA's cp.async, from sm_80 on).
//
// Source: counters of an H200 for 435 patterns of lanes, tests/data/copies.h200 (docs/validation.md). NVIDIA documents
// none of it.
#ifndef MODEL_COPY_MEMORY_H
#define MODEL_COPY_MEMORY_H

#include "model/gpus.h"
#include "model/request.h"
#include "model/shared_memory.h"

enum {
    COPY_LINE_BYTES = 128 // a copy costs the same where all of its addresses, on either side, move by as many
};

struct copy {
    bool past_l1;         // cp.async.cg, which copies 16 bytes
    uint32_t width_bytes; // per lane: 4, 8 or 16
    uint64_t active;
    uint64_t from[WARP_WIDTH_MAX], to[WARP_WIDTH_MAX]; // byte addresses, multiples of the width
};

// Passes through the data stage, and conflicts as the profiler counts them.
struct shared_cost copy_memory_cost(const struct gpu *gpu, const struct copy *copy);

// Whether the part has such copies: from sm_80 on.
bool copy_exists(const struct gpu *gpu);

// The passes below which no layout of shared memory can get: one for each line that a copy past L1 reads, or for each
// group of lanes of one through L1.
uint32_t copy_least_passes(const struct copy *copy);

// The sectors that a copy past L1 asks the L2 for: one is asked for again for each sector of shared memory that takes a
// part of it.
uint32_t copy_sectors(const struct copy *copy);

#endif
