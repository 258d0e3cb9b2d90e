// The blocks that represent a grid, and the lower bound of a launch's time.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/gpus.h"
#include "model/time/time.h"
#include "sim/launch_state.h"

enum {
    BLOCKS = 100
};

// Of 100 blocks, every tenth returns at once, and the last one begins with another access.
static void look(struct sim_kind kinds[BLOCKS]) {
    for (uint64_t block = 0; block < BLOCKS; block++) {
        kinds[block] = (struct sim_kind){block == BLOCKS - 1 ? 500 : block % 10 == 0 ? 0 : 400, block};
    }
}

static void each_kind_has_its_share(void **state) {
    (void)state;
    for (uint64_t wanted = 1; wanted < BLOCKS; wanted += 7) {
        struct sim_kind kinds[BLOCKS];
        struct sim_sample sample;
        double stands_for = 0;
        look(kinds);
        assert_int_equal(sim_sample_take(&sample, BLOCKS, wanted, kinds, BLOCKS, NULL), STATUS_OK);
        assert_int_equal(sample.stratum_count, 3);
        assert_true(sample.is_part);
        const double of_kind[] = {10, 89, 1};
        for (size_t i = 0; i < sample.stratum_count; i++) {
            stands_for += sample.strata[i].grid_blocks;
            assert_true(sample.strata[i].count >= 1 && sample.strata[i].grid_blocks == of_kind[i]);
            for (size_t k = 1; k < sample.strata[i].count; k++) {
                assert_true(sample.blocks[sample.strata[i].first + k] > sample.blocks[sample.strata[i].first + k - 1]);
            }
        }
        assert_true(stands_for == (double)BLOCKS && sample.strata[0].idle && !sample.strata[1].idle);
        assert_true(sample.block_count <= wanted + 3);
        sim_sample_destroy(&sample);
    }
}

// The block that finds that all others have finished stands for itself alone.
static void last_block_is_a_kind(void **state) {
    (void)state;
    struct sim_kind kinds[BLOCKS];
    struct sim_sample sample;
    double stands_for = 0;
    look(kinds);
    assert_int_equal(sim_sample_take(&sample, BLOCKS, 8, kinds, BLOCKS, NULL), STATUS_OK);
    for (size_t i = 0; i < sample.stratum_count; i++) {
        assert_false(sample.strata[i].is_last);
    }
    sim_sample_add_last(&sample, BLOCKS);
    for (size_t i = 0; i < sample.stratum_count; i++) {
        stands_for += sample.strata[i].grid_blocks;
    }
    const struct sim_stratum *last = &sample.strata[sample.stratum_count - 1];
    assert_true(last->is_last && last->count == 1 && last->grid_blocks == 1);
    assert_int_equal(last->first, sample.block_count - 1);
    assert_int_equal(sample.blocks[last->first], BLOCKS - 1);
    assert_true(stands_for == (double)BLOCKS);
    sim_sample_destroy(&sample);
    assert_int_equal(sim_sample_all(&sample, BLOCKS, NULL), STATUS_OK);
    sim_sample_add_last(&sample, BLOCKS);
    assert_int_equal(sample.block_count, BLOCKS); // it runs anyway
    sim_sample_destroy(&sample);
}

// Blocks of one kind that had 10 and 14 requests, two of 89: N^2 (1 - n / N) s^2 / n with s^2 = 8.
static void error_follows_from_the_spread(void **state) {
    (void)state;
    struct sim_kind kinds[BLOCKS];
    struct sim_sample sample;
    look(kinds);
    assert_int_equal(sim_sample_take(&sample, BLOCKS, 2, kinds, BLOCKS, NULL), STATUS_OK);
    assert_int_equal(sample.block_count, 4);
    const uint64_t alike[] = {0, 12, 12, 5}, spread[] = {0, 10, 14, 5};
    const double total = 89 * 12 + 5, error = sqrt(89.0 * 87 * 8 / 2) / total * 100;
    assert_true(sim_sample_error_pct(&sample, alike) == 0);
    assert_true(fabs(sim_sample_error_pct(&sample, spread) - error) < 1e-9);
    sim_sample_destroy(&sample);
    look(kinds);
    assert_int_equal(sim_sample_take(&sample, BLOCKS, 1, kinds, BLOCKS, NULL), STATUS_OK);
    assert_true(isnan(sim_sample_error_pct(&sample, alike))); // one block represents 89
    sim_sample_destroy(&sample);
}

// Where only groups of a grid's blocks were looked at, those that run are still neighbours.
static void blocks_run_beside_their_neighbours(void **state) {
    (void)state;
    enum {
        GROUP = 16,
        GAP = 100,
        RUN = 8
    };
    struct sim_kind kinds[BLOCKS];
    struct sim_sample sample;
    for (uint64_t i = 0; i < BLOCKS; i++) {
        kinds[i] = (struct sim_kind){400, i / GROUP * GAP + i % GROUP};
    }
    assert_int_equal(sim_sample_take(&sample, BLOCKS * GAP, (uint64_t)4 * RUN, kinds, BLOCKS, NULL), STATUS_OK);
    assert_int_equal(sample.block_count, 4 * RUN);
    for (size_t i = 0; i < sample.block_count; i++) {
        assert_true(i % RUN == 0 || sample.blocks[i] == sample.blocks[i - 1] + 1);
    }
    sim_sample_destroy(&sample);
}

static void a_cache_loses_what_is_scattered_beyond_it(void **state) {
    (void)state;
    const struct gpu *gpu = gpu_find("h200");
    const double cache = (double)gpu->last_level_cache_bytes;
    assert_true(lost_share(gpu, 0) == 0 && lost_share(gpu, cache / 3) == 0);
    assert_true(lost_share(gpu, cache) > 0.4 && lost_share(gpu, cache) < 0.6);
    assert_true(lost_share(gpu, 100 * cache) > 0.99);
}

static void bounds(void **state) {
    (void)state;
    const struct gpu *gpu = gpu_find("h200");
    const struct launch_bound none = launch_bound(gpu, &(struct launch_least){.blocks = 1});
    const struct launch_bound memory = launch_bound(gpu, &(struct launch_least){.blocks = 1000, .memory_bytes = 48e6});
    const struct launch_bound passes = launch_bound(gpu, &(struct launch_least){.blocks = 2, .passes = 3960});
    assert_true(none.ns == 0);
    assert_true(fabs(memory.ns - 10000) < 1e-6 && memory.by == RESOURCE_MEMORY);
    assert_true(fabs(passes.ns - 1000) < 1e-6 && passes.by == RESOURCE_SHARED_MEMORY);
    // The last-level cache may still hold data of the launch before.
    const struct memory_traffic traffic = {.load_bytes = 40 << 20, .fill_bytes = 10 << 20, .write_bytes = 20 << 20};
    const struct memory_traffic small = {.load_bytes = 60 << 20};
    assert_true(least_memory_bytes(gpu, &traffic) == 10 << 20 && least_memory_bytes(gpu, &small) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_has_its_share),
        cmocka_unit_test(last_block_is_a_kind),
        cmocka_unit_test(error_follows_from_the_spread),
        cmocka_unit_test(blocks_run_beside_their_neighbours),
        cmocka_unit_test(a_cache_loses_what_is_scattered_beyond_it),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
