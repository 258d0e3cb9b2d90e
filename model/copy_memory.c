#include "model/copy_memory.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    BANKS = 32,
    BANK_BYTES = 4,
    SECTOR_BYTES = 32,
    HALF_BYTES = SECTOR_BYTES / 2,
    LINE_SECTORS = COPY_LINE_BYTES / SECTOR_BYTES
};

static uint32_t bank_of(uint64_t address) {
    return (uint32_t)(address / BANK_BYTES % BANKS);
}

// ---- Through L1 ----

// A lane leaves the L1 after those before it whose words lie in the same bank there, equal words too, and enters shared
// memory before those behind it whose words go to the same bank. What waits equally long in between passes together.
static uint32_t group_passes(const struct copy *copy, uint32_t first, uint32_t lanes) {
    uint32_t left[BANKS] = {0}, entering[BANKS] = {0};
    uint64_t waits = 0;
    for (uint32_t lane = first; lane < first + lanes; lane++) {
        entering[bank_of(copy->to[lane])] += (uint32_t)(copy->active >> lane & 1);
    }
    for (uint32_t lane = first; lane < first + lanes; lane++) {
        if (copy->active >> lane & 1) {
            const uint32_t after = left[bank_of(copy->from[lane])]++, before = --entering[bank_of(copy->to[lane])];
            waits |= UINT64_C(1) << (BANKS + after - before);
        }
    }
    return (uint32_t)__builtin_popcountll(waits);
}

static struct shared_cost cost_through_l1(const struct copy *copy) {
    const uint32_t lanes = BANKS * BANK_BYTES / copy->width_bytes; // whose words fill all banks
    struct shared_cost cost = {0};
    for (uint32_t first = 0; first < BANKS; first += lanes) {
        const uint32_t passes = group_passes(copy, first, lanes);
        cost.passes += passes;
        cost.groups += passes > 0;
    }
    cost.conflicts = cost.passes - cost.groups;
    return cost;
}

// ---- Past L1 ----

// What moves from one sector to another.
struct packet {
    uint64_t from, to; // sectors
    bool swaps;        // the halves
    uint32_t halves;   // that arrive, one bit each
};

static size_t packets_of(const struct copy *copy, struct packet *packet) {
    size_t count = 0;
    for (uint64_t left = copy->active; left; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        const uint64_t from = copy->from[lane], to = copy->to[lane];
        const struct packet own = {from / SECTOR_BYTES, to / SECTOR_BYTES, (from ^ to) & HALF_BYTES,
                                   1U << (to / HALF_BYTES % 2)};
        size_t i = 0;
        while (i < count && (packet[i].from != own.from || packet[i].to != own.to || packet[i].swaps != own.swaps)) {
            i++;
        }
        if (i == count) {
            packet[count++] = own;
        }
        packet[i].halves |= own.halves;
    }
    return count;
}

// Packets of one line to one line pass together if all move their halves alike, and their sectors alike: by an even
// distance or by an odd one.
static bool pass_together(const struct packet *a, const struct packet *b) {
    return a->from / LINE_SECTORS == b->from / LINE_SECTORS && a->to / LINE_SECTORS == b->to / LINE_SECTORS &&
           a->swaps == b->swaps && a->halves == b->halves && ((a->from ^ a->to ^ b->from ^ b->to) & 1) == 0;
}

static struct shared_cost cost_past_l1(const struct copy *copy) {
    struct packet packet[WARP_WIDTH_MAX];
    const size_t count = packets_of(copy, packet);
    struct shared_cost cost = {.groups = (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        size_t earlier = 0;
        while (earlier < i && !pass_together(&packet[earlier], &packet[i])) {
            earlier++;
        }
        cost.passes += earlier == i;
    }
    return cost;
}

uint32_t copy_sectors(const struct copy *copy) {
    struct packet packet[WARP_WIDTH_MAX];
    return (uint32_t)packets_of(copy, packet);
}

bool copy_exists(const struct gpu *gpu) {
    unsigned version = 0;
    return sscanf(gpu->arch, "sm_%u", &version) == 1 && version >= 80;
}

uint32_t copy_least_passes(const struct copy *copy) {
    const uint32_t lanes = BANKS * BANK_BYTES / copy->width_bytes;
    uint32_t least = 0;
    for (uint64_t left = copy->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t earlier = copy->active & ((UINT64_C(1) << lane) - 1);
        bool is_first = true;
        for (uint64_t others = earlier; others && is_first; others &= others - 1) {
            const uint32_t other = (uint32_t)__builtin_ctzll(others);
            is_first = copy->past_l1 ? copy->from[other] / COPY_LINE_BYTES != copy->from[lane] / COPY_LINE_BYTES
                                     : other / lanes != lane / lanes;
        }
        least += is_first;
    }
    return least;
}

struct shared_cost copy_memory_cost(const struct gpu *gpu, const struct copy *copy) {
    struct shared_cost cost = copy->past_l1 ? cost_past_l1(copy) : cost_through_l1(copy);
    cost.active_lanes = (uint32_t)__builtin_popcountll(copy->active);
    cost.unique_bytes = cost.active_lanes * copy->width_bytes;
    cost.certainty = strcmp(gpu->arch, "sm_90") == 0 ? RULE_CERTAIN : RULE_OPEN;
    return cost;
}
