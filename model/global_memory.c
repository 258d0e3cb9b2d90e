#include "model/global_memory.h"

#include "model/distinct.h"
#include "model/l1.h"

// The lines and sectors that a request touches.
struct touched {
    struct distinct sectors, lines, accesses;
    uint32_t bytes[DISTINCT_KEYS];   // of a sector, by its number
    uint32_t most[DISTINCT_KEYS];    // lanes with one address, of a sector's addresses
    uint32_t line_of[DISTINCT_KEYS]; // a sector's line
    uint32_t lanes[DISTINCT_KEYS];   // with one address, by the access's number
};

static uint32_t log2_of(uint32_t power) {
    return (uint32_t)__builtin_ctz(power);
}

// Whether atomics of lanes that share an address move its sector once for each of them. On an H200 ncu counts 32
// sectors where all lanes add to one address, and 8 where 32 lanes add to 16 neighbouring float64 (docs/validation.md).
static bool takes_turns(const struct gpu *gpu, const struct request *request) {
    return request->atomic && gpu->vendor == VENDOR_NVIDIA;
}

// A sector goes to L2 in a clock, and what says which bytes of a line are written in another one, unless all of the
// line's sectors are whole, as ncu counts on an H200.
static uint32_t store_clocks(const struct gpu *gpu, const struct touched *touched) {
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

static uint32_t way_clocks(const struct gpu *gpu, const struct request *request, const struct touched *touched,
                           const struct global_cost *cost) {
    const bool nvidia = gpu->vendor == VENDOR_NVIDIA;
    return request->operation == OPERATION_LOAD ? 0
           : !nvidia                            ? cost->sectors
           : request->atomic                    ? cost->sectors + cost->lines
                                                : store_clocks(gpu, touched);
}

// How the addresses of a request are divided, as shifts.
struct units {
    uint32_t line, sector, access;
};

// Adds what one lane accesses in one sector. width: of the access.
static void touch(const struct units *units, uint64_t address, uint32_t width, bool turns, struct touched *touched,
                  struct global_cost *cost) {
    bool added;
    const uint32_t line = distinct_add_key(&touched->lines, address >> units->line, &added);
    cost->lines += added;
    const uint32_t sector = distinct_add_key(&touched->sectors, address >> units->sector, &added);
    if (added) {
        touched->bytes[sector] = touched->most[sector] = 0;
        touched->line_of[sector] = line;
    }
    const uint32_t access = distinct_add_key(&touched->accesses, address >> units->access, &added);
    touched->lanes[access] = added ? 1 : touched->lanes[access] + 1;
    if (touched->lanes[access] > touched->most[sector]) {
        touched->most[sector] = touched->lanes[access];
        cost->sectors += turns || touched->most[sector] == 1;
        cost->again += turns && touched->most[sector] > 1;
    }
    if (added) {
        touched->bytes[sector] += width;
        cost->full_sectors += touched->bytes[sector] == UINT32_C(1) << units->sector;
        cost->unique_bytes += width;
    }
}

uint32_t global_sector_bytes(const struct gpu *gpu, enum operation operation) {
    return operation == OPERATION_STORE && gpu->store_bytes ? gpu->store_bytes : gpu->sector_bytes;
}

// An access is aligned to its width and no wider than a sector, so it lies in one; one of 12 bytes is three words,
// which may not.
struct global_cost global_memory_cost(const struct gpu *gpu, const struct request *request) {
    struct touched touched;
    distinct_begin(&touched.sectors);
    distinct_begin(&touched.lines);
    distinct_begin(&touched.accesses);
    const uint32_t pieces = request->width_bytes == 12 ? 3 : 1, width = request->width_bytes / pieces;
    const struct units units = {.line = log2_of(gpu->line_bytes),
                                .sector = log2_of(global_sector_bytes(gpu, request->operation)),
                                .access = log2_of(width)};
    const bool turns = takes_turns(gpu, request);
    struct global_cost cost = {.active_lanes = (uint32_t)__builtin_popcountll(request->active)};

    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint64_t address = request->address[__builtin_ctzll(left)];
        for (uint32_t piece = 0; piece < pieces; piece++) {
            touch(&units, address + (uint64_t)piece * width, width, turns, &touched, &cost);
        }
    }
    const struct l1_cost l1 = l1_cost(gpu, request);
    cost.l1_clocks = l1.clocks;
    cost.l1_data_clocks = l1.data_clocks;
    cost.way_clocks = way_clocks(gpu, request, &touched, &cost);
    return cost;
}
