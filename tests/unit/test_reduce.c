// reduce: the numbers and their reference, the bound from the order of additions, the plan, and the CPU's sums.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/cpu/host.h"
#include "device/cpu/slice.h"
#include "reduce/reduce_plan.h"
#include "util/random.h"

// The CPU's sums also with narrower vectors than the machine's.
static enum cpu_vectors chosen_vectors;
#define cpu_vectors() chosen_vectors
#include "reduce/reduce_cpu.c"
#undef cpu_vectors

#define FOR_TYPES(type) for (enum reduce_type type = 0; type < REDUCE_TYPES; type++)

// ---- Numbers ----

// The first numbers, as a device is given them. There is room for a whole last word.
static void fill(enum reduce_type type, void *numbers, uint64_t count, uint64_t seed) {
    const struct reduce_mask mask = reduce_mask(type);
    for (uint64_t i = 0; i < (count * reduce_type_bytes(type) + 7) / 8; i++) {
        const uint64_t word = (mix64(seed + i) & mask.keep) | mask.set;
        memcpy((uint8_t *)numbers + 8 * i, &word, sizeof word);
    }
}

static void test_floating_numbers_fill_their_range(void **state) {
    (void)state;
    enum {
        COUNT = 10000
    };
    static double doubles[COUNT];
    static float floats[COUNT];
    double low = 9, high = -9, sum = 0;
    fill(REDUCE_FLOAT64, doubles, COUNT, 1);
    fill(REDUCE_FLOAT32, floats, COUNT, 1);
    for (int i = 0; i < COUNT; i++) {
        assert_true(fabs(doubles[i]) >= 1 && fabs(doubles[i]) < 2);
        assert_true(fabsf(floats[i]) >= 1 && fabsf(floats[i]) < 2);
        low = fmin(low, fmin(doubles[i], (double)floats[i]));
        high = fmax(high, fmax(doubles[i], (double)floats[i]));
        sum += doubles[i] + (double)floats[i];
    }
    assert_true(low < -1.99 && high > 1.99);
    assert_true(fabs(sum / (double)COUNT) < 0.1);
}

// ---- References ----

static void test_reference_of_integers(void **state) {
    (void)state;
    uint64_t numbers[1003], sum = 0;
    uint32_t checksum = 0;
    fill(REDUCE_INT64, numbers, 1003, 4);
    for (int i = 3; i < 1003; i++) {
        sum += numbers[i];
        checksum ^= (uint32_t)numbers[i] ^ (uint32_t)(numbers[i] >> 32);
    }
    const struct reduce_reference reference = reduce_reference(REDUCE_INT64, 3, 1000, 4);
    assert_true((uint64_t)reference.sum == sum && reference.checksum == checksum && reference.count == 1000);
    sum++;
    assert_false(reduce_is_right(REDUCE_INT64, &reference, INFINITY, &sum));
}

static void test_references_add_up(void **state) {
    (void)state;
    FOR_TYPES(type) {
        const struct reduce_reference whole = reduce_reference(type, 0, 1 << 20, 2);
        struct reduce_reference parts = reduce_reference(type, 0, 12345, 2);
        const struct reduce_reference rest = reduce_reference(type, 12345, (1 << 20) - 12345, 2);
        reduce_reference_add(&parts, &rest);
        assert_true(parts.count == whole.count && parts.sum == whole.sum && parts.checksum == whole.checksum);
        assert_true(fabs(parts.absolute / fmax(whole.absolute, 1) - (whole.absolute > 0)) < 1e-12);
    }
}

// Doubles that are added one after another lose what the reference keeps.
static void test_reference_is_exact(void **state) {
    (void)state;
    enum {
        COUNT = 1 << 16
    };
    static double numbers[COUNT];
    static long double sum = 0;
    fill(REDUCE_FLOAT64, numbers, COUNT, 3);
    for (int i = 0; i < COUNT; i++) {
        sum += (long double)numbers[i]; // holds so many of them exactly
    }
    const double rounded = (double)sum, off = nextafter(nextafter(rounded, INFINITY), INFINITY);
    const struct reduce_reference reference = reduce_reference(REDUCE_FLOAT64, 0, COUNT, 3);
    const double digit = nextafter(rounded, INFINITY) - rounded, depth = digit / (0x1p-53 * reference.absolute);
    assert_true(reduce_is_right(REDUCE_FLOAT64, &reference, depth, &rounded));
    assert_false(reduce_is_right(REDUCE_FLOAT64, &reference, depth, &off));
}

// ---- Bounds ----

static void test_bound_follows_from_depth(void **state) {
    (void)state;
    const struct reduce_reference reference = {.count = 1001, .absolute = 8};
    assert_true(reduce_error_bound(REDUCE_INT32, &reference, 100) == 0);
    const double u = 0x1p-24;
    assert_true(fabs(reduce_error_bound(REDUCE_FLOAT32, &reference, 10) / (10 * u / (1 - 10 * u) * 8) - 1) < 1e-12);
    assert_true(fabs(reduce_error_bound(REDUCE_FLOAT32, &reference, INFINITY) / (1000 * u * 8) - 1) < 1e-12);
    assert_true(reduce_error_bound(REDUCE_FLOAT64, &reference, 10) < 1e-14);
}

static void test_bound_finds_a_missing_number(void **state) {
    (void)state;
    enum {
        COUNT = 1000
    };
    float numbers[COUNT];
    fill(REDUCE_FLOAT32, numbers, COUNT, 1);
    const struct reduce_reference reference = reduce_reference(REDUCE_FLOAT32, 0, COUNT, 1);
    for (int missing = 0; missing < COUNT; missing++) {
        float sum = 0;
        for (int i = 0; i < COUNT; i++) {
            sum += i == missing ? 0 : numbers[i];
        }
        assert_false(reduce_is_right(REDUCE_FLOAT32, &reference, COUNT - 1, &sum));
    }
}

static void test_not_a_number_is_never_right(void **state) {
    (void)state;
    const struct reduce_reference reference = reduce_reference(REDUCE_FLOAT32, 0, 10, 1);
    const float sum = NAN;
    assert_false(reduce_is_right(REDUCE_FLOAT32, &reference, INFINITY, &sum));
}

// ---- Plans ----

static const struct device_info part = {.compute_units = 100, .warp_width = 32, .max_block_threads = 1024};

static void test_launches_end_with_one_block(void **state) {
    (void)state;
    const struct reduce_detail plain = {.unroll = 1}, unroll8 = {.unroll = 8};
    struct reduce_plan plan = reduce_plan(&plain, REDUCE_INT32, &part, 512, 16777216);
    assert_int_equal(plan.pass_count, 3);
    assert_true(plan.pass[0].grid == 32768 && plan.pass[1].grid == 64 && plan.pass[2].grid == 1);
    assert_true(reduce_plan_depth(&plan, 3) == 3 * (1 + 9));
    plan = reduce_plan(&unroll8, REDUCE_INT32, &part, 512, 16777217);
    assert_true(plan.pass_count == 3 && plan.pass[0].grid == 4097 && plan.pass[1].grid == 2 && plan.pass[2].grid == 1);
    for (uint64_t elements = 0; elements <= 32; elements += 8) {
        plan = reduce_plan(&plain, REDUCE_INT32, &part, 32, elements);
        assert_true(plan.pass_count == 1 && plan.pass[0].grid == 1);
    }
    plan = reduce_plan(&plain, REDUCE_INT64, &part, 32, UINT64_C(1) << 40);
    assert_true(plan.pass_count == 8 && plan.pass[7].grid == 1);
}

static void test_strided_grids_share_evenly(void **state) {
    (void)state;
    const struct reduce_detail cascade = {.unroll = 2, .strided = true};
    const struct reduce_detail limit = {.one_launch = true, .arguments_more = 2, .strided = true};
    struct reduce_plan plan = reduce_plan(&cascade, REDUCE_INT32, &part, 256, 1 << 24); // 32 elements a thread
    assert_true(plan.pass_count == 2 && plan.pass[0].grid == (1 << 24) / (256 * 32));
    plan = reduce_plan(&limit, REDUCE_FLOAT64, &part, 512, UINT64_C(1) << 28);
    assert_int_equal(plan.pass_count, 1);
    assert_int_equal(plan.pass[0].tile, 512 * 4 * 2);
    const uint64_t tiles = (UINT64_C(1) << 28) / plan.pass[0].tile, each = tiles / plan.pass[0].grid + 1;
    assert_true(plan.pass[0].grid <= 400 && plan.pass[0].grid > 390);
    assert_true(plan.pass[0].grid * each - tiles < each);
    plan = reduce_plan(&limit, REDUCE_INT32, &part, 512, 1 << 16); // fewer tiles than the part holds blocks
    assert_int_equal(plan.pass[0].grid, 8);
}

static void test_tiles_of_large_arrays_have_a_block_each(void **state) {
    (void)state;
    const struct reduce_detail adding = {.one_launch = true, .tiled = true, .strided = true};
    struct reduce_plan plan = reduce_plan(&adding, REDUCE_INT32, &part, 512, UINT64_C(1) << 28);
    assert_true(plan.items == 8 && plan.pass[0].tile == 512 * 8 * 4 && plan.pass[0].grid == 16384);
    plan = reduce_plan(&adding, REDUCE_INT32, &part, 512, UINT64_C(1) << 24);
    assert_true(plan.items == 4 && plan.pass[0].tile == 512 * 4 * 4 && plan.pass[0].grid <= 400);
}

// ---- The CPU ----

static const struct reduce_detail natives[] = {
    {.entry = "sum_scalars", .native = reduce_sum_scalars, .unroll = 1},
    {.entry = "sum_scalars", .native = reduce_sum_scalars, .unroll = 2},
    {.entry = "sum_scalars", .native = reduce_sum_scalars, .unroll = 4},
    {.entry = "sum_scalars", .native = reduce_sum_scalars, .unroll = 8},
    {.entry = "sum_vectors", .native = reduce_sum_vectors},
    {.entry = "sum_threads", .native = reduce_sum_threads, .threads = true},
};

static void run_native(native_kernel *native, const struct reduce_plan *plan, const void *numbers, void *result) {
    uint64_t sums[64];
    memset(sums, 0xA5, sizeof sums);
    const struct argument arguments[] = {argument_pointer((uintptr_t)numbers), argument_pointer((uintptr_t)sums),
                                         argument_u64(plan->pass[0].elements)};
    const struct launch launch = {
        .grid = {(uint32_t)plan->pass[0].grid, 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = 3};
    native(&(struct native_call){&launch, KERNEL_CONSTANTS({"BITS", (int64_t)reduce_type_bytes(plan->type) * 8},
                                                           {"FLOATING", reduce_type_is_floating(plan->type)},
                                                           {"UNROLL", plan->detail->unroll})});
    memcpy(result, sums, sizeof *sums);
}

static void check_native(size_t native, enum reduce_type type, const void *numbers, uint64_t elements) {
    const struct reduce_reference reference = reduce_reference(type, 0, elements, 1);
    for (uint32_t slices = 1; slices <= 8; slices += 7) {
        uint64_t result;
        const struct device_info machine = {.compute_units = slices};
        const struct reduce_plan plan = reduce_plan(&natives[native], type, &machine, 0, elements);
        run_native(natives[native].native, &plan, numbers, &result);
        if (!reduce_is_right(type, &reference, reduce_plan_depth(&plan, 1), &result)) {
            fail_msg("%s (unroll %u) of %llu %s in %u slices, vectors %d", natives[native].entry,
                     natives[native].unroll, (unsigned long long)elements, reduce_type_name(type), slices,
                     (int)chosen_vectors);
        }
        run_native(reduce_read_limit, &plan, numbers, &result);
        assert_int_equal((uint32_t)result, reference.checksum);
    }
}

static void check_natives(void) {
    enum {
        ELEMENTS_MAX = 70000
    };
    uint8_t *buffer = malloc((ELEMENTS_MAX + 2) * 8);
    assert_non_null(buffer);
    FOR_TYPES(type) {
        uint8_t *numbers = buffer + reduce_type_bytes(type); // not aligned to the vectors
        fill(type, numbers, ELEMENTS_MAX, 1);
        for (size_t i = 0; i < sizeof natives / sizeof *natives; i++) {
            for (uint64_t elements = 0; elements < 200; elements++) {
                check_native(i, type, numbers, elements);
            }
            check_native(i, type, numbers, 65537);
        }
    }
    free(buffer);
}

static void test_native_sums(void **state) {
    (void)state;
    const enum cpu_vectors widest = cpu_vectors();
    const enum cpu_vectors first = widest >= CPU_SSE2 && widest <= CPU_AVX512 ? CPU_SSE2 : widest;
    for (chosen_vectors = first; chosen_vectors <= widest; chosen_vectors++) {
        check_natives();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floating_numbers_fill_their_range),
        cmocka_unit_test(test_reference_of_integers),
        cmocka_unit_test(test_references_add_up),
        cmocka_unit_test(test_reference_is_exact),
        cmocka_unit_test(test_bound_follows_from_depth),
        cmocka_unit_test(test_bound_finds_a_missing_number),
        cmocka_unit_test(test_not_a_number_is_never_right),
        cmocka_unit_test(test_launches_end_with_one_block),
        cmocka_unit_test(test_strided_grids_share_evenly),
        cmocka_unit_test(test_tiles_of_large_arrays_have_a_block_each),
        cmocka_unit_test(test_native_sums),
    };
    return cmocka_run_group_tests_name("reduce", tests, NULL, NULL);
}
