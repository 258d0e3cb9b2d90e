#include "model/global_memory.h"

#include <string.h>

#include "model/distinct.h"
#include "model/shared_memory.h"

// ---- The vector L1, which a request keeps busy if it finds all there ----

enum {
    QUAD = 4, // lanes whose addresses L1 takes in one clock
    WORD_BYTES = 4,
    SEND_BYTES = 64, // that a unit of NVIDIA's sends to L2 in a clock
    SECTOR_BYTES_MAX = 128
};

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint64_t line_of(const struct gpu *gpu, uint64_t address) {
    return address / gpu->line_bytes;
}

// ---- Tags: four banks, each of which finds a line in a clock ----

static const uint64_t lower_bits = 0x555; // of six digits

uint32_t l1_folded_bank(uint64_t line) {
    return (uint32_t)(__builtin_parityll(line & lower_bits) | __builtin_parityll(line >> 1 & lower_bits) << 1);
}

// On Hopper the third digit of a load from global memory counts with its bits exchanged.
static uint32_t folded_bank(enum l1_rule rule, uint64_t line) {
    const uint64_t third = 0x10, swap = (line ^ line >> 1) & third;
    return l1_folded_bank(rule == L1_HOPPER ? line ^ swap ^ swap << 1 : line);
}

static uint32_t tag_bank(const struct gpu *gpu, uint64_t line) {
    return gpu->vendor == VENDOR_NVIDIA ? folded_bank(gpu->l1_rule, line) : (uint32_t)(line % L1_TAG_BANKS);
}

// The distinct lines of these lanes in the bank that has most.
static uint32_t tag_clocks(const struct gpu *gpu, const struct request *request, uint64_t lanes) {
    struct distinct lines;
    distinct_begin(&lines);
    uint32_t count[L1_TAG_BANKS] = {0}, most = 0;
    for (uint64_t left = request->active & lanes; left; left &= left - 1) {
        const uint64_t first = request->address[__builtin_ctzll(left)], last = first + request->width_bytes - 1;
        for (uint64_t line = line_of(gpu, first); line <= line_of(gpu, last); line++) {
            bool added;
            distinct_add_key(&lines, line, &added);
            const uint32_t bank = tag_bank(gpu, line);
            count[bank] += added;
            most = larger(most, count[bank]);
        }
    }
    return most;
}

// ---- NVIDIA ----

// Lanes with one address are not merged, as they are in shared memory.
static struct l1_cost nvidia_load(const struct gpu *gpu, const struct request *request) {
    const uint32_t data = larger(request->width_bytes / WORD_BYTES, shared_memory_cost(gpu, request).passes);
    return (struct l1_cost){larger(data, l1_tag_clocks(gpu, request)), data};
}

// A line in a clock, of which 64 bytes are sent.
static uint32_t nvidia_store(const struct gpu *gpu, const struct request *request) {
    struct distinct lines, sectors;
    distinct_begin(&lines);
    distinct_begin(&sectors);
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint64_t first = request->address[__builtin_ctzll(left)], last = first + request->width_bytes - 1;
        bool added;
        distinct_add_key(&lines, line_of(gpu, first), &added);
        distinct_add_key(&lines, line_of(gpu, last), &added);
        distinct_add_key(&sectors, first / gpu->sector_bytes, &added);
        distinct_add_key(&sectors, last / gpu->sector_bytes, &added);
    }
    const uint32_t sent = SEND_BYTES / gpu->sector_bytes;
    return larger(lines.keys, (sectors.keys + sent - 1) / sent);
}

// ---- AMD ----

// Whether the lanes of a run of four read one word or their own neighbouring elements.
static bool run_is_plain(const struct request *request, uint32_t first_lane) {
    uint64_t left = request->active >> first_lane & 0xf;
    if (!left) {
        return true;
    }
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    const uint64_t first = request->address[first_lane + lane];
    bool one_word = true, neighbours = true;
    for (; left; left &= left - 1) {
        const uint32_t other = (uint32_t)__builtin_ctzll(left);
        const uint64_t address = request->address[first_lane + other];
        one_word &= address / WORD_BYTES == first / WORD_BYTES;
        neighbours &= address == first + (uint64_t)(other - lane) * request->width_bytes;
    }
    return one_word || neighbours;
}

static bool is_plain(const struct request *request, uint32_t first_lane, uint32_t lanes) {
    bool plain = request->width_bytes <= WORD_BYTES;
    for (uint32_t lane = first_lane; lane < first_lane + lanes && plain; lane += QUAD) {
        plain = run_is_plain(request, lane);
    }
    return plain;
}

// The lanes of one quad: every fourth of sixteen (every eighth of 32), or four neighbours if each needs several words.
static uint64_t quad_of(const struct request *request, uint32_t first_lane, uint32_t lanes, uint32_t quad) {
    const uint32_t quads = lanes / QUAD;
    if (request->width_bytes > WORD_BYTES) {
        return UINT64_C(0xf) << (first_lane + quad * QUAD);
    }
    uint64_t mask = 0;
    for (uint32_t i = 0; i < QUAD; i++) {
        mask |= UINT64_C(1) << (first_lane + quad + i * quads);
    }
    return mask;
}

// Lanes that L1 serves together. It takes them at once if they are plain, else a quad at a time.
static uint32_t together_clocks(const struct gpu *gpu, const struct request *request, uint32_t first_lane,
                                uint32_t lanes) {
    if (is_plain(request, first_lane, lanes)) {
        return tag_clocks(gpu, request, ((UINT64_C(1) << lanes) - 1) << first_lane);
    }
    const struct banking banking = {lanes, WORD_BYTES, WORD_BYTES}; // as many banks of a word
    uint32_t clocks = 0;
    for (uint32_t quad = 0; quad < lanes / QUAD; quad++) {
        const uint64_t mask = quad_of(request, first_lane, lanes, quad);
        clocks += larger(tag_clocks(gpu, request, mask), bank_passes(&banking, request, mask));
    }
    return clocks;
}

// Sixteen lanes in turn and as many banks of a word on GCN and CDNA; a whole wave of 32 on RDNA, whose L1 delivers
// twice as much in a clock.
static uint32_t amd_clocks(const struct gpu *gpu, const struct request *request) {
    const uint32_t lanes = gpu->warp_width == 32 ? 32 : 16;
    uint32_t clocks = 0;
    for (uint32_t lane = 0; lane < gpu->warp_width; lane += lanes) {
        clocks += together_clocks(gpu, request, lane, lanes);
    }
    return clocks;
}

struct l1_cost l1_cost(const struct gpu *gpu, const struct request *request) {
    if (gpu->vendor == VENDOR_NVIDIA && request->operation == OPERATION_LOAD) {
        return nvidia_load(gpu, request);
    }
    const uint32_t clocks = gpu->vendor == VENDOR_AMD ? amd_clocks(gpu, request) : nvidia_store(gpu, request);
    return (struct l1_cost){clocks, clocks};
}

uint32_t l1_tag_clocks(const struct gpu *gpu, const struct request *request) {
    return tag_clocks(gpu, request, request->active);
}

// ---- Sectors and lines ----

// The lines and sectors that a request touches.
struct touched {
    struct distinct sectors, lines, accesses;
    uint32_t bytes[DISTINCT_KEYS];                          // of a sector, by its number
    uint64_t covered[DISTINCT_KEYS][SECTOR_BYTES_MAX / 64]; // a bit for each of them
    uint32_t most[DISTINCT_KEYS];                           // lanes with one address, of a sector's addresses
    uint32_t line_of[DISTINCT_KEYS];                        // a sector's line
    uint32_t lanes[DISTINCT_KEYS];                          // with one address, by the access's number
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

// Covers `width` bytes from the sector's byte `first` on, and returns how many of them were not covered before.
static uint32_t cover(uint64_t covered[SECTOR_BYTES_MAX / 64], uint32_t first, uint32_t width) {
    uint32_t fresh = 0;
    for (uint32_t at = first, taken; at < first + width; at += taken) {
        const uint32_t room = 64 - at % 64, left = first + width - at;
        taken = left < room ? left : room;
        const uint64_t bits = (UINT64_MAX >> (64 - taken)) << at % 64;
        fresh += (uint32_t)__builtin_popcountll(bits & ~covered[at / 64]);
        covered[at / 64] |= bits;
    }
    return fresh;
}

// Adds what one lane accesses in one sector. width: of that.
static void touch(const struct units *units, uint64_t address, uint32_t width, bool turns, struct touched *touched,
                  struct global_cost *cost) {
    bool added;
    const uint32_t line = distinct_add_key(&touched->lines, address >> units->line, &added);
    cost->lines += added;
    const uint32_t sector = distinct_add_key(&touched->sectors, address >> units->sector, &added);
    if (added) {
        touched->bytes[sector] = touched->most[sector] = 0;
        memset(touched->covered[sector], 0, sizeof touched->covered[sector]);
        touched->line_of[sector] = line;
    }
    const uint32_t access = distinct_add_key(&touched->accesses, address >> units->access, &added);
    touched->lanes[access] = added ? 1 : touched->lanes[access] + 1;
    if (touched->lanes[access] > touched->most[sector]) {
        touched->most[sector] = touched->lanes[access];
        cost->sectors += turns || touched->most[sector] == 1;
        cost->again += turns && touched->most[sector] > 1;
    }
    const uint32_t sector_bytes = UINT32_C(1) << units->sector;
    const uint32_t fresh = cover(touched->covered[sector], (uint32_t)(address % sector_bytes), width);
    touched->bytes[sector] += fresh;
    cost->full_sectors += fresh && touched->bytes[sector] == sector_bytes;
    cost->unique_bytes += fresh;
}

static void touch_piece(const struct units *units, uint64_t address, uint32_t width, bool turns,
                        struct touched *touched, struct global_cost *cost) {
    const uint32_t sector_bytes = UINT32_C(1) << units->sector;
    const uint32_t room = sector_bytes - (uint32_t)(address % sector_bytes), first = width < room ? width : room;
    touch(units, address, first, turns, touched, cost);
    if (first < width) {
        touch(units, address + first, width - first, turns, touched, cost);
    }
}

uint32_t global_sector_bytes(const struct gpu *gpu, enum operation operation) {
    return operation == OPERATION_STORE && gpu->store_bytes ? gpu->store_bytes : gpu->sector_bytes;
}

// An access is no wider than a sector, so it lies in one, or in two if it is not aligned to its width, as AMD's may be.
// One of 12 bytes is three words.
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
            touch_piece(&units, address + (uint64_t)piece * width, width, turns, &touched, &cost);
        }
    }
    const struct l1_cost l1 = l1_cost(gpu, request);
    cost.l1_clocks = l1.clocks;
    cost.l1_data_clocks = l1.data_clocks;
    cost.way_clocks = way_clocks(gpu, request, &touched, &cost);
    return cost;
}
