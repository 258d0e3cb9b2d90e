// The interval of a median, over synthetic series of which the median is known.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/random.h"
#include "util/statistics.h"

enum {
    SERIES = 1000,
    LONGEST = 200
};

static double uniform(uint64_t *state) {
    return ((double)(mix64((*state)++) >> 11) + 0.5) / (double)(UINT64_C(1) << 53);
}

static double normal(uint64_t *state) {
    const double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * acos(-1) * uniform(state));
}

// Fills the series and returns the median of what it was drawn from.
typedef double fill_series(double *samples, size_t count, uint64_t *state);

static double fill_normal(double *samples, size_t count, uint64_t *state) {
    for (size_t i = 0; i < count; i++) {
        samples[i] = 100 + normal(state);
    }
    return 100;
}

static double fill_log_normal(double *samples, size_t count, uint64_t *state) {
    for (size_t i = 0; i < count; i++) {
        samples[i] = exp(normal(state));
    }
    return 1;
}

// Three of four samples are near 100, the others near 106. The median is the upper third of those near 100.
static double fill_two_peaks(double *samples, size_t count, uint64_t *state) {
    static const double UPPER_THIRD = 0.430727; // of the standard normal distribution
    for (size_t i = 0; i < count; i++) {
        samples[i] = (uniform(state) < 0.75 ? 100 : 106) + 0.5 * normal(state);
    }
    return 100 + 0.5 * UPPER_THIRD;
}

static double fill_drifting(double *samples, size_t count, uint64_t *state) {
    for (size_t i = 0; i < count; i++) {
        samples[i] = 100 + 3 * (double)i / (double)(count - 1) + 0.5 * normal(state);
    }
    return 101.5;
}

// Each sample keeps 97 % of the deviation of the one before.
static double fill_correlated(double *samples, size_t count, uint64_t *state) {
    double deviation = normal(state);
    for (size_t i = 0; i < count; i++) {
        samples[i] = 100 + deviation;
        deviation = 0.97 * deviation + sqrt(1 - 0.97 * 0.97) * normal(state);
    }
    return 100;
}

// Shares of the series, in percent.
struct shares {
    double held, drifting, modes, effective; // effective: the mean of effective samples over samples
};

static struct shares try_series(fill_series *fill, size_t count) {
    struct shares shares = {0};
    uint64_t state = mix64(count);
    for (int i = 0; i < SERIES; i++) {
        double samples[LONGEST];
        const double median = fill(samples, count, &state);
        const struct statistics s = statistics_of(samples, count);
        shares.held += s.interval.low <= median && median <= s.interval.high;
        shares.drifting += s.drift != 0;
        shares.modes += s.modes > 0;
        shares.effective += s.effective / (double)count;
    }
    const double percent = 100.0 / (double)SERIES;
    return (struct shares){percent * shares.held, percent * shares.drifting, percent * shares.modes,
                           percent * shares.effective};
}

static void test_coverage(void **state) {
    (void)state;
    fill_series *const fills[] = {fill_normal, fill_log_normal, fill_two_peaks};
    static const size_t counts[] = {9, 12, 15, 20, 30, 50, 100, 200}; // other counts have intervals of 97 to 99 %
    for (size_t f = 0; f < sizeof fills / sizeof *fills; f++) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            const struct shares shares = try_series(fills[f], counts[i]);
            print_message("series %zu of %zu samples: %.1f %% hold the median\n", f, counts[i], shares.held);
            assert_true(shares.held >= 93 && shares.held <= 97.5);
            assert_true(shares.drifting <= 1);
        }
    }
}

static void test_intervals_are_exact(void **state) {
    (void)state;
    double samples[LONGEST];
    static const struct {
        size_t count, rank; // the published ranks of the two-sided 95 % interval of a median
    } known[] = {{6, 1}, {8, 1}, {9, 2}, {12, 3}, {20, 6}, {30, 10}, {50, 18}, {100, 40}};
    for (size_t i = 0; i < LONGEST; i++) {
        samples[i] = (double)(i + 1);
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t n = known[i].count;
        const struct interval interval = interval_of_median(samples, n, (double)n);
        assert_true(interval.low == (double)known[i].rank && interval.high == (double)(n + 1 - known[i].rank));
    }
    assert_true(isnan(interval_of_median(samples, 5, 5).low)); // 1 of 16 such series lies on one side
    assert_true(interval_of_median(samples, 100, 25).low < interval_of_median(samples, 100, 100).low);
    assert_true(isnan(interval_of_median(samples, 100, 1.5).low));
}

static void test_order_is_told(void **state) {
    (void)state;
    const struct shares drift = try_series(fill_drifting, 20), correlated = try_series(fill_correlated, 50);
    assert_true(drift.drifting >= 99);
    assert_true(correlated.effective < 35);
    assert_true(try_series(fill_normal, 50).effective > 95);
    double rising[] = {100, 101, 102, 103, 104, 105, 106, 107, 108, 109};
    assert_true(fabs(statistics_of(rising, 10).drift - (107 / 102.0 - 1)) < 1e-12);
}

static void test_modes_are_told(void **state) {
    (void)state;
    assert_true(try_series(fill_two_peaks, 50).modes > 75);
    assert_true(try_series(fill_normal, 20).modes <= 1);
    assert_true(isnan(statistics_of((double[]){1, 2, 3}, 3).modes));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_intervals_are_exact),
        cmocka_unit_test(test_order_is_told),
        cmocka_unit_test(test_modes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
