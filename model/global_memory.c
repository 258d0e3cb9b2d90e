#include "model/global_memory.h"

#include "model/distinct.h"

static uint32_t log2_of(uint32_t power) {
    return (uint32_t)__builtin_ctz(power);
}

// Whether atomics of lanes that share an address move its sector once for each of them. On an H200 ncu counts 32
// sectors where all lanes add to one address, and 8 where 32 lanes add to 16 neighbouring float64 (docs/validation.md).
static bool takes_turns(const struct gpu *gpu, const struct request *request) {
    return request->atomic && gpu->vendor == VENDOR_NVIDIA;
}

// An access is aligned to its width and no wider than a sector, so it lies in one.
struct global_cost global_memory_cost(const struct gpu *gpu, const struct request *request) {
    struct distinct sectors, lines, accesses;
    distinct_begin(&sectors);
    distinct_begin(&lines);
    distinct_begin(&accesses);
    uint32_t sector_shift = log2_of(gpu->sector_bytes), line_shift = log2_of(gpu->line_bytes);
    uint32_t access_shift = log2_of(request->width_bytes);
    uint32_t touched[DISTINCT_KEYS]; // bytes, by the sector's number
    uint32_t lanes[DISTINCT_KEYS];   // with one address, by the access's number
    uint32_t most[DISTINCT_KEYS];    // of these in a sector, by its number
    const bool turns = takes_turns(gpu, request);
    struct global_cost cost = {.active_lanes = (uint32_t)__builtin_popcountll(request->active)};

    for (uint64_t left = request->active; left; left &= left - 1) {
        uint64_t address = request->address[__builtin_ctzll(left)];
        bool added;
        uint32_t sector = distinct_add_key(&sectors, address >> sector_shift, &added);
        if (added) {
            touched[sector] = most[sector] = 0;
        }
        distinct_add_key(&lines, address >> line_shift, &added);
        cost.lines += added;
        const uint32_t access = distinct_add_key(&accesses, address >> access_shift, &added);
        lanes[access] = added ? 1 : lanes[access] + 1;
        if (lanes[access] > most[sector]) {
            most[sector] = lanes[access];
            cost.sectors += turns || most[sector] == 1;
            cost.again += turns && most[sector] > 1;
        }
        if (added) {
            touched[sector] += request->width_bytes;
            cost.full_sectors += touched[sector] == gpu->sector_bytes;
            cost.unique_bytes += request->width_bytes;
        }
    }
    return cost;
}
