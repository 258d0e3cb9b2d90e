#include "model/global_memory.h"

#include "model/distinct.h"
#include "model/shared_memory.h"

enum {
    TAG_BANKS = 4
};

// The lines and sectors that a request touches.
struct touched {
    struct distinct sectors, lines, accesses;
    uint32_t bytes[DISTINCT_KEYS];   // of a sector, by its number
    uint32_t most[DISTINCT_KEYS];    // lanes with one address, of a sector's addresses
    uint32_t line_of[DISTINCT_KEYS]; // a sector's line
    uint32_t lanes[DISTINCT_KEYS];   // with one address, by the access's number
    uint32_t tags[TAG_BANKS];        // lines that one bank of tags has
};

static uint32_t log2_of(uint32_t power) {
    return (uint32_t)__builtin_ctz(power);
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

// Whether atomics of lanes that share an address move its sector once for each of them. On an H200 ncu counts 32
// sectors where all lanes add to one address, and 8 where 32 lanes add to 16 neighbouring float64 (docs/validation.md).
static bool takes_turns(const struct gpu *gpu, const struct request *request) {
    return request->atomic && gpu->vendor == VENDOR_NVIDIA;
}

// Each clock L1 finds up to four lines, whose numbers differ modulo 4, and its banks are read as shared memory's are.
// An H200 takes as long as the longer of both in each of 87 patterns of gathers and strides (docs/simulator.md).
static uint32_t load_cycles(const struct gpu *gpu, const struct request *request, const struct touched *touched) {
    uint32_t most = request->width_bytes / 4; // lanes with one address are not merged, as they are in shared memory
    for (uint32_t bank = 0; bank < TAG_BANKS; bank++) {
        most = larger(most, touched->tags[bank]);
    }
    return larger(most, shared_memory_cost(gpu, request).passes);
}

// A sector goes to L2 in a clock, and what says which bytes of a line are written in another one, unless all of the
// line's sectors are whole, as ncu counts on an H200.
static uint32_t store_cycles(const struct gpu *gpu, const struct touched *touched) {
    uint32_t cycles[DISTINCT_KEYS] = {0}, sum = 0;
    bool in_part[DISTINCT_KEYS] = {false};
    for (uint32_t sector = 0; sector < touched->sectors.keys; sector++) {
        cycles[touched->line_of[sector]]++;
        in_part[touched->line_of[sector]] |= touched->bytes[sector] < gpu->sector_bytes;
    }
    for (uint32_t line = 0; line < touched->lines.keys; line++) {
        sum += cycles[line] + in_part[line];
    }
    return sum;
}

static uint32_t cycles_of(const struct gpu *gpu, const struct request *request, const struct touched *touched,
                          const struct global_cost *cost) {
    if (gpu->vendor != VENDOR_NVIDIA) {
        return cost->lines;
    }
    return request->atomic                        ? cost->sectors + cost->lines
           : request->operation == OPERATION_LOAD ? load_cycles(gpu, request, touched)
                                                  : store_cycles(gpu, touched);
}

// An access is aligned to its width and no wider than a sector, so it lies in one.
struct global_cost global_memory_cost(const struct gpu *gpu, const struct request *request) {
    struct touched touched;
    distinct_begin(&touched.sectors);
    distinct_begin(&touched.lines);
    distinct_begin(&touched.accesses);
    memset(touched.tags, 0, sizeof touched.tags);
    const uint32_t sector_shift = log2_of(gpu->sector_bytes), line_shift = log2_of(gpu->line_bytes);
    const uint32_t access_shift = log2_of(request->width_bytes);
    const bool turns = takes_turns(gpu, request);
    struct global_cost cost = {.active_lanes = (uint32_t)__builtin_popcountll(request->active)};

    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint64_t address = request->address[__builtin_ctzll(left)];
        bool added;
        const uint32_t line = distinct_add_key(&touched.lines, address >> line_shift, &added);
        cost.lines += added;
        touched.tags[(address >> line_shift) % TAG_BANKS] += added;
        const uint32_t sector = distinct_add_key(&touched.sectors, address >> sector_shift, &added);
        if (added) {
            touched.bytes[sector] = touched.most[sector] = 0;
            touched.line_of[sector] = line;
        }
        const uint32_t access = distinct_add_key(&touched.accesses, address >> access_shift, &added);
        touched.lanes[access] = added ? 1 : touched.lanes[access] + 1;
        if (touched.lanes[access] > touched.most[sector]) {
            touched.most[sector] = touched.lanes[access];
            cost.sectors += turns || touched.most[sector] == 1;
            cost.again += turns && touched.most[sector] > 1;
        }
        if (added) {
            touched.bytes[sector] += request->width_bytes;
            cost.full_sectors += touched.bytes[sector] == gpu->sector_bytes;
            cost.unique_bytes += request->width_bytes;
        }
    }
    cost.cycles = cycles_of(gpu, request, &touched, &cost);
    return cost;
}
