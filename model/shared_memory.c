// The rules as data: which lanes are served together, for each rule, operation and width, and how sure that is.
// Sources of every row: docs/model.md.
#include "model/shared_memory.h"

#include "model/distinct.h"

enum {
    GROUPS_MAX = 8,
    WIDTH_CLASSES = 4
};

// Lanes served together, as bit masks.
struct groups {
    uint32_t count;
    uint64_t lanes[GROUPS_MAX];
};

#define EIGHTS(half)                                                                                                   \
    UINT64_C(0xff) << (half), UINT64_C(0xff00) << (half), UINT64_C(0xff0000) << (half), UINT64_C(0xff000000) << (half)
#define SIXTEENS(half) UINT64_C(0xffff) << (half), UINT64_C(0xffff0000) << (half)
// {0-3, 20-23}, {4-7, 16-19}, {8-11, 28-31}, {12-15, 24-27}
#define SWIZZLED(half)                                                                                                 \
    UINT64_C(0x00f0000f) << (half), UINT64_C(0x000f00f0) << (half), UINT64_C(0xf0000f00) << (half),                    \
        UINT64_C(0x0f00f000) << (half)
// {0-3, 12-15, 20-27}, {4-11, 16-19, 28-31}
#define SWIZZLED_B(half) UINT64_C(0x0ff0f00f) << (half), UINT64_C(0xf00f0ff0) << (half)

static const struct groups one_of_32 = {1, {0xffffffff}};
static const struct groups two_of_16 = {2, {SIXTEENS(0)}};
static const struct groups four_of_8 = {4, {EIGHTS(0)}};
static const struct groups four_of_8_swizzled = {4, {SWIZZLED(0)}};
static const struct groups two_of_32 = {2, {0xffffffff, UINT64_C(0xffffffff) << 32}};
static const struct groups four_of_16 = {4, {SIXTEENS(0), SIXTEENS(32)}};
static const struct groups eight_of_8 = {8, {EIGHTS(0), EIGHTS(32)}};
static const struct groups eight_of_8_swizzled = {8, {SWIZZLED(0), SWIZZLED(32)}};
static const struct groups four_of_16_swizzled = {4, {SWIZZLED_B(0), SWIZZLED_B(32)}};

static const struct banking banks_32 = {32, 4, 128};
static const struct banking banks_64 = {64, 4, 256};
static const struct banking kepler_4 = {32, 4, 256}; // words i and i + 32 of a 64-word segment share a pass
static const struct banking kepler_8 = {32, 8, 256};

// How requests of one operation and width are served.
struct service {
    const struct banking *banking;
    const struct groups *groups;
    enum certainty certainty;
    const struct groups *merged; // groups where the pair condition holds; NULL: nothing merges
    enum certainty merged_certainty;
    uint32_t pass_clocks; // that a pass takes
};

// By rule, operation and class of width: up to 4 bytes, 8, 12 and 16 bytes. NVIDIA has no instruction of 12 bytes, so
// three words of 4 are accessed one after the other there.
#define BOTH(...)                                                                                                      \
    {                                                                                                                  \
        {__VA_ARGS__}, {                                                                                               \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define WHOLE_WARP(banking)                                                                                            \
    { &banking, &one_of_32, RULE_CERTAIN, NULL, RULE_CERTAIN, 1 }
#define HALVES(sure)                                                                                                   \
    { &banks_32, &two_of_16, RULE_CERTAIN, &one_of_32, sure, 1 }
#define QUARTERS(sure)                                                                                                 \
    { &banks_32, &four_of_8, RULE_CERTAIN, &two_of_16, sure, 1 }
#define PLAIN(banking, groups, sure)                                                                                   \
    { &banking, &groups, sure, NULL, sure, 1 }
#define IN_TWO_CLOCKS(banking, groups, sure)                                                                           \
    { &banking, &groups, sure, NULL, sure, 2 }
#define NVIDIA(load_merged)                                                                                            \
    {                                                                                                                  \
        {WHOLE_WARP(banks_32), HALVES(load_merged), WHOLE_WARP(banks_32), QUARTERS(load_merged)}, {                    \
            WHOLE_WARP(banks_32), HALVES(RULE_OPEN), WHOLE_WARP(banks_32), QUARTERS(RULE_OPEN)                         \
        }                                                                                                              \
    }
#define NVIDIA_STORES_APART                                                                                            \
    {                                                                                                                  \
        {WHOLE_WARP(banks_32), HALVES(RULE_CERTAIN), WHOLE_WARP(banks_32), QUARTERS(RULE_CERTAIN)}, {                  \
            WHOLE_WARP(banks_32), PLAIN(banks_32, two_of_16, RULE_CERTAIN), WHOLE_WARP(banks_32),                      \
                PLAIN(banks_32, four_of_8, RULE_CERTAIN)                                                               \
        }                                                                                                              \
    }
#define KEPLER(mode) BOTH(WHOLE_WARP(mode), WHOLE_WARP(mode), WHOLE_WARP(mode), PLAIN(mode, one_of_32, RULE_GUESS))
#define GFX9_STORES(narrow, wide, widest)                                                                              \
    {                                                                                                                  \
        PLAIN(banks_32, two_of_32, narrow), PLAIN(banks_32, four_of_16, wide), PLAIN(banks_32, eight_of_8, widest),    \
            PLAIN(banks_32, eight_of_8, wide)                                                                          \
    }
#define GFX9(sure, three_words)                                                                                        \
    {                                                                                                                  \
        {PLAIN(banks_32, two_of_32, sure), PLAIN(banks_32, four_of_16, sure),                                          \
         PLAIN(banks_32, eight_of_8_swizzled, three_words), PLAIN(banks_32, eight_of_8_swizzled, sure)},               \
            GFX9_STORES(sure, sure, RULE_GUESS)                                                                        \
    }
#define RDNA(wide_load)                                                                                                \
    {                                                                                                                  \
        {WHOLE_WARP(banks_32), PLAIN(banks_32, two_of_16, RULE_CERTAIN), PLAIN(banks_32, wide_load, RULE_GUESS),       \
         PLAIN(banks_32, wide_load, RULE_CERTAIN)},                                                                    \
        {                                                                                                              \
            WHOLE_WARP(banks_32), PLAIN(banks_32, two_of_16, RULE_CERTAIN), PLAIN(banks_32, four_of_8, RULE_GUESS),    \
                PLAIN(banks_32, four_of_8, RULE_GUESS)                                                                 \
        }                                                                                                              \
    }

static const struct service services[][2][WIDTH_CLASSES] = {
    [SHARED_NVIDIA_KEPLER_4] = KEPLER(kepler_4),
    [SHARED_NVIDIA_KEPLER_8] = KEPLER(kepler_8),
    [SHARED_NVIDIA_MAXWELL] = NVIDIA(RULE_CERTAIN),
    [SHARED_NVIDIA_AMPERE] = NVIDIA(RULE_OPEN),
    [SHARED_NVIDIA_HOPPER] = NVIDIA_STORES_APART,
    [SHARED_AMD_GFX906] = GFX9(RULE_GUESS, RULE_GUESS),
    [SHARED_AMD_GFX90A] = GFX9(RULE_CERTAIN, RULE_OPEN),
    // Groups and banks of loads from 8 bytes on are published, and the clocks of one load of 16. Sources disagree about
    // the clocks of the others and of stores, and about loads of up to 4 bytes, for which gfx942's rule is assumed.
    [SHARED_AMD_GFX950] = {{PLAIN(banks_32, two_of_32, RULE_OPEN), IN_TWO_CLOCKS(banks_64, two_of_32, RULE_OPEN),
                            PLAIN(banks_32, eight_of_8_swizzled, RULE_OPEN),
                            IN_TWO_CLOCKS(banks_64, four_of_16_swizzled, RULE_CERTAIN)},
                           GFX9_STORES(RULE_CERTAIN, RULE_OPEN, RULE_GUESS)},
    [SHARED_AMD_RDNA2] = {{PLAIN(banks_32, one_of_32, RULE_GUESS), PLAIN(banks_32, two_of_16, RULE_GUESS),
                           PLAIN(banks_32, four_of_8_swizzled, RULE_GUESS),
                           PLAIN(banks_32, four_of_8_swizzled, RULE_GUESS)},
                          {PLAIN(banks_32, one_of_32, RULE_GUESS), PLAIN(banks_32, two_of_16, RULE_GUESS),
                           PLAIN(banks_32, four_of_8, RULE_GUESS), PLAIN(banks_32, four_of_8, RULE_GUESS)}},
    [SHARED_AMD_RDNA3] = RDNA(four_of_8_swizzled),
    [SHARED_AMD_RDNA4] = RDNA(four_of_8),
};

// What is wider than 16 bytes a lane, as a piece of a tensor's box, is served like 16.
static const struct service *service_of(const struct gpu *gpu, const struct request *request) {
    const uint32_t words = request->width_bytes <= 4 ? 1 : request->width_bytes / 4;
    return &services[gpu->shared_rule][request->operation][words < WIDTH_CLASSES ? words - 1 : WIDTH_CLASSES - 1];
}

// Whether every lane reads the same as its partner, as far as the partner is active.
static bool partners_agree(const struct request *request, uint32_t partner_bit) {
    for (uint64_t left = request->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left), partner = lane ^ partner_bit;
        if (request->active >> partner & 1 && request->address[lane] != request->address[partner]) {
            return false;
        }
    }
    return true;
}

static bool merges(const struct service *service, const struct request *request) {
    return service->merged && (partners_agree(request, 1) || partners_agree(request, 2));
}

uint32_t bank_passes(const struct banking *banking, const struct request *request, uint64_t lanes) {
    struct distinct rows; // bucket: bank
    distinct_begin(&rows);
    uint32_t most = 0;
    for (uint64_t left = request->active & lanes; left; left &= left - 1) {
        uint64_t first = request->address[__builtin_ctzll(left)], last = first + request->width_bytes - 1;
        for (uint64_t word = first / banking->bank_bytes; word <= last / banking->bank_bytes; word++) {
            uint32_t bank = (uint32_t)(word % banking->banks);
            bool added;
            distinct_add(&rows, bank, word * banking->bank_bytes / banking->row_bytes, &added);
            if (rows.count[bank] > most) {
                most = rows.count[bank];
            }
        }
    }
    return most;
}

// Accesses are aligned to their width, those of 12 bytes to a word, so that two pieces of them have all bytes in common
// or none. One of AMD's that is not counts as the aligned one in which it begins.
static uint32_t distinct_bytes(const struct request *request) {
    const uint32_t piece_bytes = request->width_bytes == 12 ? 4 : request->width_bytes;
    struct distinct pieces;
    distinct_begin(&pieces);
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint64_t first = request->address[__builtin_ctzll(left)];
        for (uint32_t at = 0; at < request->width_bytes; at += piece_bytes) {
            bool added;
            distinct_add_key(&pieces, (first + at) / piece_bytes, &added);
        }
    }
    return pieces.keys * piece_bytes;
}

static struct shared_cost cost_of_access(const struct gpu *gpu, const struct request *request) {
    const struct service *service = service_of(gpu, request);
    bool merged = merges(service, request);
    const struct groups *groups = merged ? service->merged : service->groups;
    // AMD spends an LDS cycle on a group without an active lane; NVIDIA skips the group.
    uint32_t idle_passes = gpu->vendor == VENDOR_AMD ? 1 : 0;
    struct shared_cost cost = {
        .active_lanes = (uint32_t)__builtin_popcountll(request->active),
        .unique_bytes = distinct_bytes(request),
        .groups = groups->count,
        .certainty = merged ? service->merged_certainty : service->certainty,
    };
    for (uint32_t i = 0; i < groups->count; i++) {
        uint32_t passes = bank_passes(service->banking, request, groups->lanes[i]);
        cost.passes += service->pass_clocks * (passes ? passes : idle_passes);
        cost.conflicts += passes ? passes - 1 : 0;
    }
    return cost;
}

// Three loads or stores of 4 bytes.
static struct shared_cost cost_of_words(const struct gpu *gpu, const struct request *request) {
    struct request word = *request;
    word.width_bytes = 4;
    struct shared_cost cost = cost_of_access(gpu, &word);
    for (uint32_t i = 1; i < request->width_bytes / 4; i++) {
        for (uint64_t left = request->active; left; left &= left - 1) {
            word.address[__builtin_ctzll(left)] += 4;
        }
        const struct shared_cost more = cost_of_access(gpu, &word);
        cost.passes += more.passes;
        cost.conflicts += more.conflicts;
    }
    cost.unique_bytes = distinct_bytes(request);
    return cost;
}

static bool is_in_words(const struct gpu *gpu, const struct request *request) {
    return request->width_bytes == 12 && gpu->vendor == VENDOR_NVIDIA;
}

struct shared_cost shared_memory_cost(const struct gpu *gpu, const struct request *request) {
    return is_in_words(gpu, request) ? cost_of_words(gpu, request) : cost_of_access(gpu, request);
}

static uint32_t least_of_access(const struct gpu *gpu, const struct request *request) {
    const struct service *service = service_of(gpu, request);
    const struct groups *groups = merges(service, request) ? service->merged : service->groups;
    const uint32_t idle_passes = gpu->vendor == VENDOR_AMD ? 1 : 0;
    uint32_t least = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        struct request group = *request;
        group.active &= groups->lanes[i];
        const uint32_t row = service->banking->row_bytes, passes = (distinct_bytes(&group) + row - 1) / row;
        least += service->pass_clocks * (passes ? passes : idle_passes);
    }
    return least;
}

uint32_t shared_memory_least_passes(const struct gpu *gpu, const struct request *request) {
    if (!is_in_words(gpu, request)) {
        return least_of_access(gpu, request);
    }
    struct request word = *request;
    word.width_bytes = 4;
    return request->width_bytes / 4 * least_of_access(gpu, &word);
}

uint32_t shared_memory_period(const struct gpu *gpu, const struct request *request) {
    const struct banking *banking = service_of(gpu, request)->banking;
    const bool is_even = banking->row_bytes == banking->banks * banking->bank_bytes; // each bank gives a word a pass
    return is_even ? banking->bank_bytes : banking->row_bytes;
}

uint64_t shared_memory_group_lanes(const struct gpu *gpu, const struct request *request, uint32_t group) {
    const struct service *service = service_of(gpu, request);
    const struct groups *groups = merges(service, request) ? service->merged : service->groups;
    return group < groups->count ? groups->lanes[group] : 0;
}

struct shared_location shared_memory_location(const struct gpu *gpu, const struct request *request, uint64_t address) {
    const struct banking *banking = service_of(gpu, request)->banking;
    return (struct shared_location){.bank = (uint32_t)(address / banking->bank_bytes % banking->banks),
                                    .row = address / banking->row_bytes,
                                    .banks = banking->banks,
                                    .bank_bytes = banking->bank_bytes};
}

uint32_t shared_memory_pass_bytes(const struct gpu *gpu) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < WIDTH_CLASSES; i++) {
        const struct service *service = &services[gpu->shared_rule][OPERATION_LOAD][i];
        const uint32_t bytes = service->banking->row_bytes / service->pass_clocks;
        most = bytes > most ? bytes : most;
    }
    return most;
}

const char *certainty_name(enum certainty certainty) {
    static const char *const names[] = {"certain", "open", "guess"};
    return names[certainty];
}
