// The shared-memory addresses of a block's warps, and the model's cost of them.
#ifndef SMEM_SMEM_PATTERN_H
#define SMEM_SMEM_PATTERN_H

#include "model/shared_memory.h"

struct smem_pattern {
    enum operation operation;
    bool atomic;
    enum shared_path path;
    uint32_t width_bytes;
    uint32_t stride; // elements from a lane to the next; 0: all lanes of a warp share one
    uint32_t group;  // neighbouring lanes that share an element
    uint32_t lanes;  // of a warp
    uint32_t warps;  // of the block
};

// The index of a thread's element, the same as element_index() of smem.cu.
uint32_t smem_element_index(const struct smem_pattern *pattern, uint32_t thread);

// Bytes of shared memory that the block needs.
uint64_t smem_pattern_bytes(const struct smem_pattern *pattern);

// Averages over the block's warps, for one request.
struct smem_cost {
    double passes, conflicts, unique_bytes;
    double clocks;            // for which it keeps a unit busy
    enum certainty certainty; // the least certain of the rules that were used
};
struct smem_cost smem_pattern_cost(const struct gpu *gpu, const struct smem_pattern *pattern);

#endif
