// What one request costs in global memory: sectors and lines.
#ifndef MODEL_GLOBAL_MEMORY_H
#define MODEL_GLOBAL_MEMORY_H

#include "model/gpus.h"
#include "model/request.h"

struct global_cost {
    uint32_t active_lanes;
    uint32_t sectors;        // of global_sector_bytes() that move: distinct ones, and again for atomics that take turns
    uint32_t again;          // of these, how many move again
    uint32_t full_sectors;   // covered to the last byte by this request
    uint32_t lines;          // distinct lines of gpu->line_bytes touched
    uint32_t unique_bytes;   // distinct bytes touched
    uint32_t l1_clocks;      // for which it keeps the unit's L1 busy, of which data_clocks wherever it lies (l1.h)
    uint32_t l1_data_clocks; // see struct l1_cost
    uint32_t way_clocks;     // for which a store keeps the way to L2 busy
};

// The smallest unit that loads move, or stores.
uint32_t global_sector_bytes(const struct gpu *gpu, enum operation operation);

// A pure function from addresses to counts. Source of the rule: CUDA C++ Programming Guide, device memory accesses;
// docs/model.md.
struct global_cost global_memory_cost(const struct gpu *gpu, const struct request *request);

#endif
