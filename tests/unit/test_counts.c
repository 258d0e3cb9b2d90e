// Sums and means of launch counts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/launch.h"

// All fields up to `sampled` are doubles that add up, so a counter missing from a list is found here.
enum {
    COUNTERS = offsetof(struct launch_counts, sampled) / sizeof(double)
};

static void fill(struct launch_counts *counts, double unit) {
    double *counter = (double *)counts;
    *counts = (struct launch_counts){.sampled = false};
    for (size_t i = 0; i < COUNTERS; i++) {
        counter[i] = unit * (double)(i + 1);
    }
}

static void every_counter_is_added(void **state) {
    (void)state;
    struct launch_counts sum, more;
    fill(&sum, 1);
    fill(&more, 16);
    more.sampled = true;
    launch_counts_add(&sum, &more);
    assert_true(sum.sampled);
    for (size_t i = 0; i < COUNTERS; i++) {
        assert_true(((double *)&sum)[i] == 17 * (double)(i + 1));
    }
}

static void every_counter_is_averaged(void **state) {
    (void)state;
    struct launch_counts counts;
    fill(&counts, 1);
    launch_counts_mean(&counts, 4);
    for (size_t i = 0; i < COUNTERS; i++) {
        assert_true(((double *)&counts)[i] == 0.25 * (double)(i + 1));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_is_added),
        cmocka_unit_test(every_counter_is_averaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
