// Blocks that follow each other, simulated load by load.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/time/walk.h"
#include "tests/unit/assertions.h"

// 32 blocks at once, an L2 of 2048 lines, and memory at a quarter of its rate.
static struct walk walk_along(uint64_t paths) {
    return (struct walk){.units = 16,
                         .unit_blocks = 2,
                         .block_warps = 4,
                         .loads = 64,
                         .batch = 16,
                         .under_way = 64,
                         .paths = paths,
                         .sets = 128,
                         .ways = 16,
                         .issue = 8,
                         .hit = 1,
                         .fill = 0,
                         .miss = 4,
                         .hit_latency = 200,
                         .miss_latency = 600,
                         .block = 500};
}

static void the_slowest_level_decides(void **state) {
    (void)state;
    struct walk walk = walk_along(2); // 512 lines
    assert_within(walk_clocks(&walk, NULL), walk.hit, 1);
    walk.issue = 32; // of 16 units
    assert_within(walk_clocks(&walk, NULL), walk.issue / walk.units, 3);
    walk = walk_along(1000); // nobody follows
    assert_within(walk_clocks(&walk, NULL), walk.miss, 1);
}

// 16 paths are 4096 lines. If each block read its lines from memory, a load would take 4 clocks.
static void blocks_on_one_path_read_memory_once(void **state) {
    (void)state;
    struct walk walk = walk_along(16);
    walk.batch = 2;
    assert_true(walk_clocks(&walk, NULL) < 0.7 * walk.miss); // two blocks for each path
    walk = walk_along(16);
    walk.unit_blocks = 1;
    assert_within(walk_clocks(&walk, NULL), walk.miss, 5);
}

static void arrivals_keep_the_l2_busy(void **state) {
    (void)state;
    struct walk walk = walk_along(1000);
    walk.fill = 5;
    assert_within(walk_clocks(&walk, NULL), walk.hit + walk.fill, 1);
}

static void few_loads_under_way_wait_for_latency(void **state) {
    (void)state;
    struct walk walk = walk_along(2);
    walk.batch = 1;
    walk.block_warps = 1;
    assert_within(walk_clocks(&walk, NULL), walk.hit_latency / (walk.units * walk.unit_blocks), 10);
}

static void a_unit_has_only_so_many_loads_under_way(void **state) {
    (void)state;
    struct walk walk = walk_along(2);
    walk.under_way = 4;
    assert_within(walk_clocks(&walk, NULL), walk.hit_latency / (walk.units * walk.under_way), 5);
}

static void the_last_answer_is_of_the_same_walk(void **state) {
    (void)state;
    struct walk walk = walk_along(2);
    struct walked last = {0};
    const double clocks = walk_clocks(&walk, &last);
    assert_true(clocks == walk_clocks(&walk, NULL) && last.clocks == clocks);
    last.clocks = 2 * clocks;
    assert_true(walk_clocks(&walk, &last) == 2 * clocks); // not asked again
    walk.issue = 32;
    assert_true(walk_clocks(&walk, &last) == walk_clocks(&walk, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_level_decides),
        cmocka_unit_test(blocks_on_one_path_read_memory_once),
        cmocka_unit_test(arrivals_keep_the_l2_busy),
        cmocka_unit_test(few_loads_under_way_wait_for_latency),
        cmocka_unit_test(a_unit_has_only_so_many_loads_under_way),
        cmocka_unit_test(the_last_answer_is_of_the_same_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
