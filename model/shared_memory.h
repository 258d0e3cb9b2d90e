// What one request costs in shared memory (LDS): passes and bank conflicts.
#ifndef MODEL_SHARED_MEMORY_H
#define MODEL_SHARED_MEMORY_H

#include "model/gpus.h"
#include "model/request.h"

// How far the rule behind a cost is known; shown with every result.
enum certainty {
    RULE_CERTAIN,
    RULE_OPEN,
    RULE_GUESS
};

struct shared_cost {
    uint32_t active_lanes;
    uint32_t passes;       // trips through the data stage: NVIDIA wavefronts; AMD LDS cycles (SQ_LDS_IDX_ACTIVE)
    uint32_t conflicts;    // as the vendor's profiler counts them
    uint32_t unique_bytes; // distinct bytes touched
    uint32_t groups;       // groups of lanes served together, merged ones counted once
    enum certainty certainty;
};

// Pure: from addresses to counts. The rules and their sources: docs/model.md.
struct shared_cost shared_memory_cost(const struct gpu *gpu, const struct request *request);

// The group that serves a lane of this request, 0 first; for pictures.
uint32_t shared_memory_group(const struct gpu *gpu, const struct request *request, uint32_t lane);

// Most bytes that one pass can carry: banks * 4.
uint32_t shared_memory_pass_bytes(const struct gpu *gpu);

#endif
