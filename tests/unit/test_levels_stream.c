// levels: which chunks the blocks of a stream touch, in which order, and how often.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "levels/stream.h"

#define MIB(n) ((uint64_t)(n) << 20)

static const struct device_info h200 = {
    .backend = BACKEND_CUDA, .compute_units = 132, .warp_width = 32, .max_block_threads = 1024};
static const struct device_info mi210 = {
    .backend = BACKEND_HIP, .compute_units = 104, .warp_width = 64, .max_block_threads = 1024};

// A shared read whose launch touches about `turns` footprints, as stream_open() lengthens it.
static struct stream_plan plan_of(uint64_t bytes, uint32_t turns) {
    struct stream_plan plan = stream_plan_make(&h200, STREAM_READ, false, bytes);
    plan.rounds = (uint32_t)(((uint64_t)plan.chunks * turns + plan.blocks - 1) / plan.blocks);
    return plan;
}

static void test_every_chunk_is_touched(void **state) {
    (void)state;
    for (uint64_t bytes = 64 << 10; bytes < MIB(600); bytes = bytes * 7 / 5) {
        const struct stream_plan plan = stream_plan_make(&h200, STREAM_READ, false, bytes);
        uint32_t *visits = calloc(plan.chunks, sizeof *visits);
        assert_non_null(visits);
        assert_true(plan.group > 0 && plan.group <= plan.chunks);
        stream_visits(&plan, visits);
        uint64_t sum = 0;
        for (uint32_t chunk = 0; chunk < plan.chunks; chunk++) {
            assert_true(visits[chunk] > 0);
            sum += visits[chunk];
        }
        assert_int_equal(sum, (uint64_t)plan.blocks * plan.rounds);
        free(visits);
    }
}

// Blocks start in order and a group of them runs at once. Between two visits to a chunk, the launch touches nearly all
// others.
static void test_a_launch_goes_through_the_footprint_in_order(void **state) {
    (void)state;
    static const uint64_t mebibytes[] = {64, 100, 128, 256, 400, 896, 960};
    for (size_t i = 0; i < sizeof mebibytes / sizeof mebibytes[0]; i++) {
        const struct stream_plan plan = plan_of(MIB(mebibytes[i]), 5);
        uint64_t *last = calloc(plan.chunks, sizeof *last), touched = 0;
        assert_non_null(last);
        for (uint32_t first = 0; first < plan.blocks; first += plan.group) {
            for (uint32_t round = 0; round < plan.rounds; round++) {
                for (uint32_t block = first; block < first + plan.group && block < plan.blocks; block++) {
                    const uint32_t chunk = stream_chunk(&plan, block, round);
                    touched++;
                    assert_true(last[chunk] == 0 || touched - last[chunk] + 2 * plan.group > plan.chunks);
                    last[chunk] = touched;
                }
            }
        }
        free(last);
    }
}

// Otherwise its unit's L1 might answer.
static void test_no_block_returns_soon(void **state) {
    (void)state;
    const struct stream_plan plan = plan_of(MIB(33), 200); // two groups of blocks go through all chunks
    assert_int_equal(plan.chunks, 2 * plan.group);
    for (uint32_t round = 1; round < 20; round++) {
        assert_int_not_equal(stream_chunk(&plan, 7, 0), stream_chunk(&plan, 7, round));
    }
}

// Each along the path of the one `group` blocks before it.
static void check_followers(const struct device_info *info, uint64_t path) {
    for (uint64_t bytes = path; bytes < MIB(600); bytes += bytes / 4) {
        const struct stream_plan plan = stream_plan_follow(info, bytes);
        uint32_t *visits = calloc(plan.chunks, sizeof *visits);
        assert_non_null(visits);
        stream_visits(&plan, visits);
        for (uint32_t chunk = 0; chunk < plan.chunks; chunk++) {
            assert_int_equal(visits[chunk], plan.blocks / plan.group);
        }
        for (uint32_t round = 0; round < plan.rounds; round++) {
            assert_int_equal(stream_chunk(&plan, 0, round), stream_chunk(&plan, plan.group, round));
        }
        assert_true(bytes - stream_footprint_bytes(&plan) < path);
        free(visits);
    }
}

static void test_blocks_follow_each_other(void **state) {
    (void)state;
    check_followers(&h200, MIB(1) / 4);
    check_followers(&mi210, MIB(1) / 2);
}

// A step that is left with fewer loads waits longer for each of them.
static void test_steps_of_own_chunks_are_whole(void **state) {
    (void)state;
    for (uint64_t bytes = 1 << 10; bytes < MIB(1); bytes += 1 << 10) {
        const struct stream_plan plan = stream_plan_make(&h200, STREAM_READ, true, bytes);
        assert_int_equal(plan.chunks % plan.items, 0);
        assert_true(plan.items > 1 || plan.chunks == 1 || plan.chunks > 7);
    }
}

// Opens the stream as a round of a point does, and says how long its launches are.
static uint64_t turns_of_launch(struct run *run, const struct stream_plan *plan) {
    struct streaming stream;
    struct error error;
    assert_int_equal(stream_open(&stream, run, plan, &error), STATUS_OK);
    const uint64_t turns = stream.plan.rounds;
    assert_int_equal(stream.launch.arguments[3].value.u32, turns);
    stream_close(&stream);
    return turns;
}

// Otherwise samples of longer and shorter launches would have one median. Each measurement of a point has its own
// length.
static void test_later_rounds_launch_the_same(void **state) {
    (void)state;
    struct series_list kept = {0};
    struct settings settings = {.kept = &kept};
    struct bench_device bench_device;
    struct error error;
    assert_int_equal(bench_device_open(&bench_device, "cpu", &settings, &error), STATUS_OK);
    struct run run = {.bench_device = &bench_device, .settings = &settings};
    const struct stream_plan plan = stream_plan_make(&bench_device.device->info, STREAM_READ, false, 64 << 10);
    const uint64_t first = turns_of_launch(&run, &plan);
    assert_true(first >= plan.rounds); // longer unless other programs slow it
    assert_int_equal(series_list_next(&kept)->repeats, first);
    kept.series[0].repeats = first + 7; // which no clock would make of it
    kept.next = 0;
    assert_int_equal(turns_of_launch(&run, &plan), first + 7);
    kept.next = 1;
    assert_int_not_equal(turns_of_launch(&run, &plan), first + 7);
    series_list_clear(&kept);
    bench_device_close(&bench_device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_chunk_is_touched),
        cmocka_unit_test(test_a_launch_goes_through_the_footprint_in_order),
        cmocka_unit_test(test_no_block_returns_soon),
        cmocka_unit_test(test_blocks_follow_each_other),
        cmocka_unit_test(test_steps_of_own_chunks_are_whole),
        cmocka_unit_test(test_later_rounds_launch_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
