// levels: which level answers, and the limit of a bandwidth that several levels share.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/row.h"
#include "levels/levels_detail.h"

#define KIB(n) ((double)(n)*1024)
#define MIB(n) ((double)(n)*1048576)
#define UNITS 132

static struct device_info h200(void) {
    struct device_info info = {.backend = BACKEND_CUDA, .compute_units = UNITS, .clock_mhz = 1980, .peak_gb_s = 4800};
    info.gpu = gpu_find("h200");
    assert_non_null(info.gpu);
    return info;
}

static struct answer of_one(double bytes, bool past_first, bool copied_near) {
    const struct device_info info = h200();
    const struct footprint footprint = {bytes, 1, past_first, copied_near, false};
    return caches_answer(&info, &footprint);
}

static struct answer of_all(double bytes) {
    const struct device_info info = h200();
    const struct footprint footprint = {bytes / UNITS, UNITS, true, false, true};
    return caches_answer(&info, &footprint);
}

// An H200's measured curve: 32 cycles up to 192 KiB, 281 from 320 KiB to 24 MiB, 525 at 48 MiB, 684 from 80 MiB on.
static void test_chases(void **state) {
    (void)state;
    static const struct {
        double bytes;
        const char *level;
    } loads[] = {{KIB(1), "L1"}, {KIB(192), "L1"}, {KIB(256), ""}, {MIB(2), "near L2"}, {MIB(20), "near L2"},
                 {MIB(28), ""},  {MIB(48), ""},    {MIB(96), ""},  {MIB(256), "memory"}};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        assert_string_equal(of_one(loads[i].bytes, false, true).level, loads[i].level);
    }
}

// An atomic takes 390 cycles up to 48 MiB: neither L1 nor a near copy helps.
static void test_atomics(void **state) {
    (void)state;
    assert_string_equal(of_one(KIB(1), true, false).level, "L2");
    assert_string_equal(of_one(MIB(40), true, false).level, "L2");
    assert_string_equal(of_one(MIB(56), true, false).level, "");
    assert_string_equal(of_one(MIB(512), true, false).level, "memory");
}

static void test_streams(void **state) {
    (void)state;
    assert_string_equal(of_all(MIB(40)).level, "L2");
    assert_false(of_all(MIB(40)).mixed);
    for (double mib = 48; mib < 480; mib *= 1.5) {
        assert_string_equal(of_all(MIB(mib)).level, "");
        assert_true(of_all(MIB(mib)).mixed);
    }
    assert_string_equal(of_all(MIB(512)).level, "memory");
    assert_false(of_all(MIB(512)).mixed);
}

// Each part of the L2 takes copies of what its units read. So of 40 MiB an H200 reads 15 % from memory, of 16 MiB
// nothing.
static void test_shared_reads(void **state) {
    (void)state;
    const struct device_info info = h200();
    struct footprint footprint = {MIB(16) / UNITS, UNITS, true, true, true};
    assert_string_equal(caches_answer(&info, &footprint).level, "near L2");
    footprint.unit_bytes = MIB(40) / UNITS;
    assert_string_equal(caches_answer(&info, &footprint).level, "");
    assert_true(caches_answer(&info, &footprint).mixed);
    footprint.unit_bytes = MIB(512) / UNITS;
    assert_string_equal(caches_answer(&info, &footprint).level, "memory");
}

static unsigned verdicts(double mib, double bandwidth_gb_s) {
    const struct device_info info = h200();
    const struct answer answer = of_all(MIB(mib));
    const struct row row = {.bandwidth_gb_s = bandwidth_gb_s};
    return levels_mixed_verdicts(&row, &info, &answer, true);
}

// Bandwidths of an H200 from L2 and memory together are accepted; more than both can give is not.
static void test_bandwidths_of_several_levels(void **state) {
    (void)state;
    static const struct {
        double mib, measured, wrong;
    } rows[] = {{56, 7172, 34000}, {64, 6737, 10400}, {96, 6331, 10400},
                {128, 5574, 9200}, {256, 5137, 6400}, {448, 4790, 5650}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(verdicts(rows[i].mib, rows[i].measured), VERDICT_CACHE_RESIDENT);
        assert_int_equal(verdicts(rows[i].mib, rows[i].wrong), VERDICT_CACHE_RESIDENT | VERDICT_ABOVE_PEAK);
    }
    // Units that load the same line together get more than the L2 gives, but not more than their loads can take.
    assert_int_equal(verdicts(0.625, 18516), VERDICT_OK);
    assert_int_equal(verdicts(0.625, 34000), VERDICT_ABOVE_PEAK);
    assert_int_equal(verdicts(1024, 4700), VERDICT_OK);
    assert_int_equal(verdicts(1024, 5300), VERDICT_ABOVE_PEAK);
}

// More than the L2 delivers, an H200's 10.1 TB/s, is no measure of it.
static void test_merged_reads(void **state) {
    (void)state;
    const struct levels_limit limit = {33454, 10138, 4800}, unknown = {33454, 0, 4800};
    assert_true(levels_is_merged(&limit, 18436, true));
    assert_false(levels_is_merged(&limit, 18436, false));
    assert_false(levels_is_merged(&limit, 10187, true));
    assert_false(levels_is_merged(&unknown, 18436, true));
}

static void test_nothing_known(void **state) {
    (void)state;
    const struct device_info none = {.backend = BACKEND_CUDA};
    const struct footprint footprint = {1024, 4, false, true, true};
    const struct answer answer = caches_answer(&none, &footprint);
    const struct levels_limit limit = {INFINITY, 0, NAN};
    assert_string_equal(answer.level, "");
    assert_false(answer.mixed);
    assert_true(isinf(levels_most_gb_s(&limit, &answer, true)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chases),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_shared_reads),
        cmocka_unit_test(test_bandwidths_of_several_levels),
        cmocka_unit_test(test_merged_reads),
        cmocka_unit_test(test_nothing_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
