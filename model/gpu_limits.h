// What a part's table leaves open: rates and sizes that follow from its architecture.
#ifndef MODEL_GPU_LIMITS_H
#define MODEL_GPU_LIMITS_H

#include <stdbool.h>

#include "model/gpus.h"

// Bytes that the L2 reads per clock. A row without a figure takes that of a related part, scaled by compute units,
// which is a guess.
double gpu_l2_bytes_per_clock(const struct gpu *gpu);

// Memory channels that open rows by themselves. A row without a figure has one for each 25 GB/s, as an H200 has, which
// is a guess.
double gpu_memory_channels(const struct gpu *gpu);

// Threads that a compute unit holds at once.
uint32_t gpu_unit_threads(const struct gpu *gpu);

// Shared memory of a compute unit, and how much of it the system reserves for itself in each block.
uint32_t gpu_unit_shared_bytes(const struct gpu *gpu);
uint32_t gpu_reserved_shared_bytes(const struct gpu *gpu);

// Whether L1 and shared memory are one memory, so that they take turns.
bool gpu_shares_l1(const struct gpu *gpu);

#endif
