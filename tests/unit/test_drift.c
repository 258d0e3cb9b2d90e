// Blocks that drift apart because they reach the L2 by ports with more or fewer units, simulated load by load.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/time/drift.h"
#include "tests/unit/assertions.h"

// Two GPCs with a port for four units and one for two, two blocks a unit, and halves of 256 lines each.
static const struct unit_ports ports = {.gpc_tpcs = {3, 3}, .gpc_ports = 2};

static struct drift through(uint32_t chunks) {
    return (struct drift){.ports = &ports,
                          .unit_blocks = 2,
                          .chunk_loads = 2,
                          .chunks = chunks,
                          .group = 24,
                          .rounds = 10,
                          .blocks = 960,
                          .under_way = 8,
                          .sets = 16,
                          .ways = 16,
                          .port = 40,
                          .far = 1,
                          .memory = 1,
                          .hit_latency = 20,
                          .far_latency = 10,
                          .miss_latency = 40,
                          .block = 10};
}

static void the_slowest_level_decides(void **state) {
    (void)state;
    struct drift drift = through(100); // each half of the L2 holds all
    assert_within(drift_clocks(&drift), drift.port / 4, 5);
    drift = through(4000);
    drift.memory = 30;
    assert_within(drift_clocks(&drift), drift.memory, 1);
    drift = through(4000);
    drift.far = 80; // between two halves, for half of the loads
    assert_within(drift_clocks(&drift), drift.far / 4, 10);
}

// A store takes no copy, so that both halves together hold twice as much of it, and nothing crosses to come back.
static void stores_make_no_copies(void **state) {
    (void)state;
    struct drift loads = through(180), stores = through(180); // 360 lines of 512
    loads.memory = stores.memory = 200;
    stores.stores = true;
    assert_within(drift_clocks(&stores), stores.port / 4, 5);
    assert_true(drift_clocks(&loads) > 1.5 * drift_clocks(&stores));
    stores = through(4000);
    stores.stores = true;
    stores.memory = 30;
    stores.far = 1000;
    assert_within(drift_clocks(&stores), stores.memory, 1);
}

// Units of ports with fewer of them are faster, so what a group touches next to another one's chunks comes back sooner.
static void a_footprint_below_a_multiple_of_the_group_is_faster(void **state) {
    (void)state;
    for (uint32_t groups = 8; groups <= 12; groups += 2) {
        struct drift below = through(groups * 24 - 6), at = through(groups * 24);
        below.memory = at.memory = 40;
        if (!(drift_clocks(&below) < 0.95 * drift_clocks(&at))) {
            fail_msg("%u groups: %g and %g clocks", groups, drift_clocks(&below), drift_clocks(&at));
        }
    }
}

static void few_loads_under_way_wait_for_memory(void **state) {
    (void)state;
    struct drift drift = through(4000);
    drift.port = 1;
    drift.under_way = 2;
    drift.miss_latency = 4000;
    assert_within(drift_clocks(&drift), drift.miss_latency / (4 * drift.under_way), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_level_decides),
        cmocka_unit_test(stores_make_no_copies),
        cmocka_unit_test(a_footprint_below_a_multiple_of_the_group_is_faster),
        cmocka_unit_test(few_loads_under_way_wait_for_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
