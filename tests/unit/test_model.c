// The model compared with figures from the rules' sources (docs/model.md).
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/global_memory.h"
#include "model/gpus.h"
#include "model/shared_memory.h"
#include "model/time/time.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define ALL_LANES(gpu) ((gpu)->warp_width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << (gpu)->warp_width) - 1)

static const struct gpu *find(const char *name) {
    const struct gpu *gpu = gpu_find(name);
    if (!gpu) {
        fail_msg("no GPU is called %s", name);
    }
    return gpu;
}

static struct request strided(const struct gpu *gpu, enum operation operation, uint32_t width, uint64_t stride) {
    struct request request = {.operation = operation, .width_bytes = width, .active = ALL_LANES(gpu)};
    for (uint32_t lane = 0; lane < gpu->warp_width; lane++) {
        request.address[lane] = lane * stride * width;
    }
    return request;
}

struct shared_case {
    const char *gpu;
    enum operation operation;
    uint32_t width;
    uint64_t stride;
    uint32_t passes, conflicts;
};

static void check_shared(const struct shared_case *row) {
    const struct gpu *gpu = find(row->gpu);
    struct request request = strided(gpu, row->operation, row->width, row->stride);
    struct shared_cost cost = shared_memory_cost(gpu, &request);
    if (cost.passes != row->passes || cost.conflicts != row->conflicts) {
        fail_msg("%s %s width %u stride %u: %u passes and %u conflicts, expected %u and %u", row->gpu,
                 row->operation == OPERATION_LOAD ? "load" : "store", row->width, (unsigned)row->stride, cost.passes,
                 cost.conflicts, row->passes, row->conflicts);
    }
}

static void shared_strides(void **state) {
    (void)state;
    static const struct shared_case rows[] = {
        {"h200", OPERATION_LOAD, 4, 1, 1, 0},
        {"h200", OPERATION_LOAD, 4, 2, 2, 1},
        {"h200", OPERATION_LOAD, 4, 3, 1, 0},
        {"h200", OPERATION_LOAD, 4, 4, 4, 3},
        {"h200", OPERATION_LOAD, 4, 8, 8, 7},
        {"h200", OPERATION_LOAD, 4, 16, 16, 15},
        {"h200", OPERATION_LOAD, 4, 32, 32, 31},
        {"h200", OPERATION_LOAD, 4, 33, 1, 0},
        {"h200", OPERATION_STORE, 4, 2, 2, 1},
        {"h200", OPERATION_LOAD, 8, 0, 1, 0}, // merged, unlike stores: rules.txt of an H200
        {"h200", OPERATION_LOAD, 16, 0, 2, 0},
        {"h200", OPERATION_STORE, 8, 0, 2, 0},
        {"h200", OPERATION_STORE, 16, 0, 4, 0},
        {"t4", OPERATION_STORE, 8, 0, 1, 0},
        {"h200", OPERATION_LOAD, 4, 0, 1, 0},
        {"h200", OPERATION_LOAD, 8, 1, 2, 0},
        {"h200", OPERATION_LOAD, 8, 2, 4, 2},
        {"h200", OPERATION_LOAD, 8, 16, 32, 30},
        {"h200", OPERATION_LOAD, 8, 32, 32, 30},
        {"h200", OPERATION_LOAD, 2, 1, 1, 0},
        {"h200", OPERATION_LOAD, 2, 2, 1, 0},
        {"h200", OPERATION_LOAD, 2, 4, 2, 1},
        {"h200", OPERATION_LOAD, 2, 32, 16, 15},
        {"h200", OPERATION_LOAD, 1, 1, 1, 0},
        {"h200", OPERATION_LOAD, 16, 1, 4, 0},
        {"h200", OPERATION_LOAD, 16, 2, 8, 4},
        {"mi210", OPERATION_LOAD, 4, 1, 2, 0},
        {"mi210", OPERATION_LOAD, 4, 2, 4, 2},
        {"mi210", OPERATION_LOAD, 4, 3, 2, 0},
        {"mi210", OPERATION_LOAD, 4, 4, 8, 6},
        {"mi210", OPERATION_LOAD, 4, 32, 64, 62},
        {"mi210", OPERATION_LOAD, 8, 1, 4, 0},
        {"mi210", OPERATION_STORE, 8, 2, 8, 4},
        {"mi210", OPERATION_LOAD, 16, 1, 8, 0},
        {"mi210", OPERATION_STORE, 16, 1, 8, 0},
        {"mi355x", OPERATION_LOAD, 8, 1, 4, 0},
        {"mi355x", OPERATION_LOAD, 16, 1, 8, 0},
        {"mi355x", OPERATION_LOAD, 12, 64, 64, 56},
        {"mi300x", OPERATION_LOAD, 12, 64, 64, 56},
        {"rx9070xt", OPERATION_LOAD, 12, 1, 4, 0},
        {"h200", OPERATION_LOAD, 12, 1, 3, 0}, // three words
        {"mi355x", OPERATION_STORE, 8, 1, 4, 0},
        {"mi355x", OPERATION_STORE, 16, 1, 8, 0},
        {"rx7900xtx", OPERATION_LOAD, 4, 2, 2, 1},
        {"rx7900xtx", OPERATION_LOAD, 8, 1, 2, 0},
        {"rx7900xtx", OPERATION_LOAD, 16, 1, 4, 0},
        {"rx9070xt", OPERATION_LOAD, 16, 1, 4, 0},
        // Kepler's 4-byte mode allows stride 2, its 8-byte mode carries 8 bytes per lane at once.
        {"k40", OPERATION_LOAD, 4, 2, 1, 0},
        {"k40", OPERATION_LOAD, 4, 4, 2, 1},
        {"k40-8byte", OPERATION_LOAD, 8, 1, 1, 0},
        {"k40-8byte", OPERATION_LOAD, 8, 2, 2, 1},
        {"k40-8byte", OPERATION_LOAD, 4, 2, 1, 0},
        {"k40-8byte", OPERATION_LOAD, 4, 32, 16, 15},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        check_shared(&rows[i]);
    }
}

// Lanes whose numbers differ in one bit share an address; the addresses are packed, so nothing else conflicts.
static struct request shared_with_partner(uint32_t width, uint32_t bit) {
    struct request request = {.operation = OPERATION_LOAD, .width_bytes = width, .active = 0xffffffff};
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t pair = (lane >> (bit + 1)) << bit | (lane & ((1u << bit) - 1));
        request.address[lane] = (uint64_t)pair * width;
    }
    return request;
}

static void pair_condition(void **state) {
    (void)state;
    static const uint32_t passes_8[] = {1, 1, 2, 2, 2}, passes_16[] = {2, 2, 4, 4, 4};
    const struct gpu *gpu = find("t4");
    for (uint32_t bit = 0; bit < 5; bit++) {
        struct request request_8 = shared_with_partner(8, bit), request_16 = shared_with_partner(16, bit);
        assert_int_equal(shared_memory_cost(gpu, &request_8).passes, passes_8[bit]);
        assert_int_equal(shared_memory_cost(gpu, &request_16).passes, passes_16[bit]);
        assert_int_equal(shared_memory_cost(gpu, &request_8).conflicts, 0);
        assert_int_equal(shared_memory_cost(gpu, &request_16).conflicts, 0);
    }
    struct request one = {.width_bytes = 8, .active = 0xffffffff};
    assert_int_equal(shared_memory_cost(gpu, &one).passes, 1);
    one.width_bytes = 16;
    assert_int_equal(shared_memory_cost(gpu, &one).passes, 2);
}

// The condition holds for every lane or for none, so a single odd lane keeps the groups from merging.
static void pair_condition_is_the_whole_warps(void **state) {
    (void)state;
    struct request request = shared_with_partner(16, 0);
    request.address[31] = 0;
    assert_int_equal(shared_memory_cost(find("t4"), &request).passes, 4);
    request.active &= ~(UINT64_C(1) << 31);
    assert_int_equal(shared_memory_cost(find("t4"), &request).passes, 2);
}

static void idle_groups(void **state) {
    (void)state;
    struct request request = strided(find("h200"), OPERATION_LOAD, 16, 1);
    request.active = 0xff;
    assert_int_equal(shared_memory_cost(find("h200"), &request).passes, 1);
    request.active = 1;
    assert_int_equal(shared_memory_cost(find("mi210"), &request).passes, 8); // each idle group costs a cycle
    assert_int_equal(shared_memory_cost(find("mi210"), &request).conflicts, 0);
}

// When gfx90a loads 16 bytes, lanes 0 and 4 are served separately and 0 and 20 together; when it stores, the reverse.
static void swizzled_groups(void **state) {
    (void)state;
    static const struct {
        const char *gpu;
        uint32_t lane, load_conflicts, store_conflicts;
    } rows[] = {
        {"mi210", 4, 0, 1},      {"mi210", 20, 1, 0},    {"mi210", 52, 0, 0},
        {"mi355x", 12, 1, 0},    {"mi355x", 4, 0, 1},    {"mi355x", 27, 1, 0},
        {"rx7900xtx", 20, 1, 0}, {"rx9070xt", 20, 0, 0}, {"rx9070xt", 7, 1, 1},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct request request = {.width_bytes = 16, .active = 1 | UINT64_C(1) << rows[i].lane};
        request.address[rows[i].lane] = 1024;
        request.operation = OPERATION_LOAD;
        assert_int_equal(shared_memory_cost(find(rows[i].gpu), &request).conflicts, rows[i].load_conflicts);
        request.operation = OPERATION_STORE;
        assert_int_equal(shared_memory_cost(find(rows[i].gpu), &request).conflicts, rows[i].store_conflicts);
    }
}

static void groups_of_lanes(void **state) {
    (void)state;
    struct request request = strided(find("mi210"), OPERATION_LOAD, 16, 1);
    assert_int_equal(shared_memory_group_lanes(find("mi210"), &request, 0), 0x00f0000f);
    assert_int_equal(shared_memory_group_lanes(find("mi210"), &request, 1), 0x000f00f0);
    assert_true(shared_memory_group_lanes(find("mi210"), &request, 6) >> 63 & 1);
    struct shared_location location = shared_memory_location(find("mi210"), &request, 132);
    assert_int_equal(location.bank, 1);
    assert_int_equal(location.row, 1);
}

static void certainty(void **state) {
    (void)state;
    static const struct {
        const char *gpu;
        enum operation operation;
        uint32_t width;
        uint64_t stride; // 0: all lanes one address, so the pair condition holds
        enum certainty certainty;
    } rows[] = {
        {"t4", OPERATION_LOAD, 8, 0, RULE_CERTAIN},        {"t4", OPERATION_STORE, 8, 0, RULE_OPEN},
        {"t4", OPERATION_STORE, 8, 1, RULE_CERTAIN},       {"h200", OPERATION_LOAD, 16, 0, RULE_CERTAIN},
        {"h200", OPERATION_LOAD, 16, 1, RULE_CERTAIN},     {"h200", OPERATION_LOAD, 4, 0, RULE_CERTAIN},
        {"mi100", OPERATION_LOAD, 4, 1, RULE_GUESS},       {"mi210", OPERATION_LOAD, 16, 1, RULE_CERTAIN},
        {"mi355x", OPERATION_LOAD, 4, 1, RULE_OPEN},       {"mi355x", OPERATION_LOAD, 8, 1, RULE_OPEN},
        {"mi355x", OPERATION_LOAD, 16, 1, RULE_CERTAIN},   {"mi210", OPERATION_LOAD, 12, 1, RULE_OPEN},
        {"rx7900xtx", OPERATION_STORE, 16, 1, RULE_GUESS}, {"h200", OPERATION_STORE, 8, 0, RULE_CERTAIN},
        {"a100", OPERATION_LOAD, 16, 0, RULE_OPEN},        {"b200", OPERATION_STORE, 8, 0, RULE_OPEN},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct gpu *gpu = find(rows[i].gpu);
        struct request request = strided(gpu, rows[i].operation, rows[i].width, rows[i].stride);
        if (shared_memory_cost(gpu, &request).certainty != rows[i].certainty) {
            fail_msg("row %zu is %s", i, certainty_name(shared_memory_cost(gpu, &request).certainty));
        }
    }
}

static void unique_bytes(void **state) {
    (void)state;
    struct request request = strided(find("h200"), OPERATION_LOAD, 4, 1);
    assert_int_equal(shared_memory_cost(find("h200"), &request).unique_bytes, 128);
    for (uint32_t lane = 0; lane < 32; lane++) {
        request.address[lane] = lane / 4 * 4;
    }
    assert_int_equal(shared_memory_cost(find("h200"), &request).unique_bytes, 32);
    assert_int_equal(global_memory_cost(find("h200"), &request).unique_bytes, 32);
    assert_int_equal(shared_memory_pass_bytes(find("h200")), 128);
    assert_int_equal(shared_memory_pass_bytes(find("mi355x")), 128);
}

// The least passes are those of the best addresses, and moving all addresses by the period changes no cost.
static void least_passes_and_period(void **state) {
    (void)state;
    static const uint32_t widths[] = {1, 2, 4, 8, 12, 16};
    for (size_t i = 0; i < 2 * gpu_row_count * LENGTH(widths); i++) {
        const struct gpu *gpu = &gpu_rows[i / LENGTH(widths) / 2];
        struct request dense =
            strided(gpu, i % 2 ? OPERATION_STORE : OPERATION_LOAD, widths[i / 2 % LENGTH(widths)], 1);
        struct request moved = strided(gpu, dense.operation, dense.width_bytes, 48);
        const struct shared_cost apart = shared_memory_cost(gpu, &moved);
        assert_true(shared_memory_least_passes(gpu, &dense) <= shared_memory_cost(gpu, &dense).passes);
        assert_int_equal(shared_memory_least_passes(gpu, &dense), shared_memory_least_passes(gpu, &moved));
        for (uint32_t lane = 0; lane < gpu->warp_width; lane++) {
            moved.address[lane] += 3 * shared_memory_period(gpu, &moved);
        }
        assert_int_equal(shared_memory_cost(gpu, &moved).passes, apart.passes);
    }
    const struct request words = strided(find("h200"), OPERATION_LOAD, 12, 1);
    assert_int_equal(shared_memory_least_passes(find("h200"), &words), 3);
    assert_int_equal(shared_memory_period(find("h200"), &words), 4);
    assert_int_equal(shared_memory_period(find("k40"), &words), 256);
}

static void global_strides(void **state) {
    (void)state;
    static const uint64_t strides[] = {1, 2, 4, 8, 16, 32};
    static const struct {
        const char *gpu;
        uint32_t width, sectors[6];
    } rows[] = {
        {"h200", 4, {4, 8, 16, 32, 32, 32}},  {"mi210", 4, {4, 8, 16, 32, 64, 64}},
        {"h200", 8, {8, 16, 32, 32, 32, 32}}, {"mi300x", 4, {2, 4, 8, 16, 32, 64}},
        {"h200", 1, {1, 2, 4, 8, 16, 32}},    {"h200", 16, {16, 32, 32, 32, 32, 32}},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        for (size_t j = 0; j < LENGTH(strides); j++) {
            const struct gpu *gpu = find(rows[i].gpu);
            struct request request = strided(gpu, OPERATION_LOAD, rows[i].width, strides[j]);
            assert_int_equal(global_memory_cost(gpu, &request).sectors, rows[i].sectors[j]);
        }
    }
}

// A word that is not aligned may lie in two sectors; its neighbours' bytes count once.
static void global_unaligned(void **state) {
    (void)state;
    const struct gpu *gpu = find("mi300x");
    struct request request = strided(gpu, OPERATION_LOAD, 4, 64);
    for (uint32_t lane = 0; lane < 64; lane++) {
        request.address[lane] += 126;
    }
    struct global_cost cost = global_memory_cost(gpu, &request);
    assert_int_equal(cost.sectors, 128);
    assert_int_equal(cost.lines, 128);
    assert_int_equal(cost.unique_bytes, 256);
    for (uint32_t lane = 0; lane < 64; lane++) {
        request.address[lane] = request.address[0] + lane;
    }
    cost = global_memory_cost(gpu, &request);
    assert_int_equal(cost.sectors, 2);
    assert_int_equal(cost.unique_bytes, 67);
    assert_int_equal(cost.full_sectors, 0);
}

static void global_offset_and_lines(void **state) {
    (void)state;
    const struct gpu *gpu = find("h200");
    struct request request = strided(gpu, OPERATION_STORE, 4, 1);
    struct global_cost cost = global_memory_cost(gpu, &request);
    assert_int_equal(cost.lines, 1);
    assert_int_equal(cost.full_sectors, 4);
    for (uint32_t lane = 0; lane < 32; lane++) {
        request.address[lane] += 4;
    }
    cost = global_memory_cost(gpu, &request);
    assert_int_equal(cost.sectors, 5); // an offset of one element costs one sector more
    assert_int_equal(cost.full_sectors, 3);
    assert_int_equal(cost.lines, 2);
}

// The clocks that 32 warps of an H200 took for a request, on average over 1024 of each, rounded: lane i loads a word of
// line i % lines, from the bank that is i's in a contiguous request.
static void loads_from_other_banks(void **state) {
    (void)state;
    static const uint32_t rows[][3] = {
        {4, 2, 1},  {4, 4, 1},  {4, 8, 2},   {4, 16, 4},  {4, 32, 8}, {8, 4, 2},
        {8, 16, 4}, {8, 32, 8}, {16, 16, 4}, {16, 32, 8}, {16, 8, 4}}; // width, lines, clocks
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct request request = strided(find("h200"), OPERATION_LOAD, rows[i][0], 1);
        for (uint64_t lane = 0; lane < 32; lane++) {
            request.address[lane] = lane % rows[i][1] * 128 + lane * rows[i][0] % 128;
        }
        assert_int_equal(global_memory_cost(find("h200"), &request).l1_clocks, rows[i][2]);
    }
    for (uint32_t width = 4; width <= 16; width *= 2) {
        const struct request one_address = strided(find("h200"), OPERATION_LOAD, width, 0);
        assert_int_equal(global_memory_cost(find("h200"), &one_address).l1_clocks, width / 4);
    }
}

// The same of loads, and the clocks that ncu counts on the way of stores to L2 (l1tex__m_l1tex2xbar_req_cycles_active).
static void cycles_of_strides(void **state) {
    (void)state;
    static const struct {
        enum operation operation;
        uint32_t width, stride, cycles;
    } rows[] = {
        {OPERATION_LOAD, 4, 1, 1},    {OPERATION_LOAD, 4, 2, 2},   {OPERATION_LOAD, 4, 8, 8},
        {OPERATION_LOAD, 4, 32, 32},  {OPERATION_LOAD, 8, 1, 2},   {OPERATION_LOAD, 8, 4, 8},
        {OPERATION_LOAD, 8, 16, 32},  {OPERATION_LOAD, 16, 1, 4},  {OPERATION_LOAD, 16, 4, 16},
        {OPERATION_LOAD, 16, 8, 32},  {OPERATION_STORE, 1, 1, 1},  {OPERATION_STORE, 1, 2, 3},
        {OPERATION_STORE, 1, 4, 5},   {OPERATION_STORE, 1, 8, 10}, {OPERATION_STORE, 1, 16, 20},
        {OPERATION_STORE, 1, 32, 40}, {OPERATION_STORE, 8, 1, 8},  {OPERATION_STORE, 8, 2, 20},
        {OPERATION_STORE, 8, 4, 40},  {OPERATION_STORE, 8, 8, 48}, {OPERATION_STORE, 8, 16, 64},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct request request = strided(find("h200"), rows[i].operation, rows[i].width, rows[i].stride);
        const struct global_cost cost = global_memory_cost(find("h200"), &request);
        assert_int_equal(rows[i].operation == OPERATION_LOAD ? cost.l1_clocks : cost.way_clocks, rows[i].cycles);
    }
}

// As an H200's counters say (docs/validation.md). Other vendors' atomics count as stores do.
static void atomics_take_turns(void **state) {
    (void)state;
    static const struct {
        const char *gpu;
        uint32_t width, addresses, sectors;
        bool atomic;
    } rows[] = {
        {"h200", 4, 1, 32, true},  {"h200", 4, 1, 1, false}, {"h200", 8, 1, 32, true}, {"h200", 8, 16, 8, true},
        {"h200", 8, 16, 4, false}, {"h200", 4, 32, 4, true}, {"h200", 8, 32, 8, true}, {"mi210", 4, 1, 1, true},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct gpu *gpu = find(rows[i].gpu);
        struct request request = strided(gpu, OPERATION_STORE, rows[i].width, 1);
        request.atomic = rows[i].atomic;
        for (uint32_t lane = 0; lane < gpu->warp_width; lane++) {
            request.address[lane] = lane % rows[i].addresses * rows[i].width;
        }
        assert_int_equal(global_memory_cost(gpu, &request).sectors, rows[i].sectors);
    }
}

// Lines that share a launch's work share its time, apart from the launch itself.
static void time_by_lines(void **state) {
    const struct gpu *gpu = gpu_find("h200");
    (void)state;
    const double parts[TIME_PARTS] = {[TIME_LAUNCH] = 2, [TIME_L2] = 1, [TIME_SHARED_MEMORY] = 6, [TIME_ISSUE] = 3};
    const struct line_work launch = {.instructions = 40, .sectors = 10, .passes = 100}, none = {0};
    const struct line_work computes = {.instructions = 40}, loads = {.sectors = 10, .passes = 90},
                           stores = {.passes = 10};
    const double computing = time_share(gpu, parts, &computes, &launch),
                 loading = time_share(gpu, parts, &loads, &launch);
    const double storing = time_share(gpu, parts, &stores, &launch), all = time_gain_ns(gpu, parts, &launch, &launch);
    assert_true(all > 6 && all < 7);
    assert_true(fabs(computing + loading + storing - all / (all + 2)) < 1e-12);
    assert_true(loading > 8 * storing && storing > 0 && loading > computing);
    assert_true(fabs(time_gain_ns(gpu, parts, &none, &launch)) < 1e-12);
    const double without_passes = time_gain_ns(gpu, parts, &(struct line_work){.passes = 100}, &launch);
    assert_true(without_passes > all - 3.1 && without_passes < all - 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_strides),
        cmocka_unit_test(pair_condition),
        cmocka_unit_test(pair_condition_is_the_whole_warps),
        cmocka_unit_test(idle_groups),
        cmocka_unit_test(swizzled_groups),
        cmocka_unit_test(groups_of_lanes),
        cmocka_unit_test(certainty),
        cmocka_unit_test(unique_bytes),
        cmocka_unit_test(least_passes_and_period),
        cmocka_unit_test(global_strides),
        cmocka_unit_test(global_unaligned),
        cmocka_unit_test(global_offset_and_lines),
        cmocka_unit_test(loads_from_other_banks),
        cmocka_unit_test(cycles_of_strides),
        cmocka_unit_test(atomics_take_turns),
        cmocka_unit_test(time_by_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
