// What one request to global memory costs: sectors, lines, and clocks of the vector L1.
#ifndef MODEL_GLOBAL_MEMORY_H
#define MODEL_GLOBAL_MEMORY_H

#include "model/gpus.h"
#include "model/request.h"

// ---- The vector L1, which a request keeps busy if it finds all there ----

// A pure function from addresses to clocks; docs/model.md has the rules and their sources. Of an address the bits below
// L1_PLACE_BYTES matter, but for a load's tags on NVIDIA, for which those below 2^19 do.
enum {
    L1_PLACE_BYTES = 512,
    L1_TAG_BANKS = 4
};

// The bank of NVIDIA's tags in which a line is found: the XOR of the two-bit digits of its number.
uint32_t l1_folded_bank(uint64_t line);

struct l1_cost {
    uint32_t clocks;
    uint32_t data_clocks; // of these at least, wherever the request lies: clocks are the larger of them and the tags'
};

struct l1_cost l1_cost(const struct gpu *gpu, const struct request *request);

// The clocks of a load's tags on NVIDIA, which may be fewer than its lines and are never more.
uint32_t l1_tag_clocks(const struct gpu *gpu, const struct request *request);

// ---- Sectors and lines ----

struct global_cost {
    uint32_t active_lanes;
    uint32_t sectors;      // of global_sector_bytes() that move: distinct ones, and again for atomics that take turns
    uint32_t again;        // of these, how many move again
    uint32_t full_sectors; // covered to the last byte by this request
    uint32_t lines;        // distinct lines of gpu->line_bytes touched
    uint32_t unique_bytes; // distinct bytes touched
    uint32_t l1_clocks; // for which it keeps the unit's L1 busy, of which data_clocks wherever it lies (struct l1_cost)
    uint32_t l1_data_clocks; // see struct l1_cost
    uint32_t way_clocks;     // for which a store keeps the way to L2 busy
};

// The smallest unit that loads move, or stores.
uint32_t global_sector_bytes(const struct gpu *gpu, enum operation operation);

// A pure function from addresses to counts. Source of the rule: CUDA C++ Programming Guide, device memory accesses;
// docs/model.md.
struct global_cost global_memory_cost(const struct gpu *gpu, const struct request *request);

#endif
