#include "model/global_memory.h"

#include <stddef.h>

enum {
    LARGEST_WIDTH = 16,
    SMALLEST_SECTOR = 32 // so that no lane's access, aligned to its width, crosses a sector
};
_Static_assert(LARGEST_WIDTH <= SMALLEST_SECTOR, "an access lies in one sector");

// The distinct units of 2^shift bytes that the request touches, beside the bytes of each that it touches: a bit a
// chunk of width bytes.
struct unit_set {
    uint32_t count;
    uint64_t unit[WARP_WIDTH_MAX];
    uint64_t chunks[WARP_WIDTH_MAX][2]; // 128 bytes of 1 byte at most
};

static uint32_t log2_of(uint32_t power) {
    return (uint32_t)__builtin_ctz(power);
}

// Neighbours in a warp are mostly neighbours in memory: the search starts at the latest unit.
static uint32_t unit_index(struct unit_set *set, uint64_t unit) {
    for (uint32_t i = set->count; i-- > 0;)
        if (set->unit[i] == unit)
            return i;
    set->unit[set->count] = unit;
    set->chunks[set->count][0] = set->chunks[set->count][1] = 0;
    return set->count++;
}

static void collect(struct unit_set *set, const struct request *request, uint32_t unit_bytes) {
    uint32_t unit_shift = log2_of(unit_bytes), chunk_shift = log2_of(request->width_bytes);
    set->count = 0;
    for (uint64_t left = request->active; left; left &= left - 1) {
        uint64_t address = request->address[__builtin_ctzll(left)];
        uint32_t chunk = (uint32_t)(address & (unit_bytes - 1)) >> chunk_shift;
        set->chunks[unit_index(set, address >> unit_shift)][chunk / 64] |= UINT64_C(1) << chunk % 64;
    }
}

struct global_cost global_memory_cost(const struct gpu *gpu, const struct request *request) {
    struct unit_set set;
    collect(&set, request, gpu->sector_bytes);
    struct global_cost cost = {.active_lanes = (uint32_t)__builtin_popcountll(request->active), .sectors = set.count};

    for (uint32_t i = 0; i < set.count; i++) {
        uint32_t bytes = request->width_bytes *
                         (uint32_t)(__builtin_popcountll(set.chunks[i][0]) + __builtin_popcountll(set.chunks[i][1]));
        cost.unique_bytes += bytes;
        cost.full_sectors += bytes == gpu->sector_bytes;
    }
    if (gpu->line_bytes == gpu->sector_bytes) {
        cost.lines = cost.sectors;
        return cost;
    }
    collect(&set, request, gpu->line_bytes);
    cost.lines = set.count;
    return cost;
}
