// The plan, on a clock that the test moves: a device whose points cost what the test defines, whatever was estimated.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "bench/plan.h"
#include "bench/points.h"
#include "util/clock.h"
#include "util/random.h"

static double now_s;

// Replaces libc's function, so that a plan of minutes runs in no time.
int clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    *time = (struct timespec){.tv_sec = (time_t)now_s, .tv_nsec = (long)(fmod(now_s, 1) * 1e9)};
    return 0;
}

enum {
    SIZE,
    STRIDE,
    PARAMETERS
};

static const struct parameter parameters[] = {
    [SIZE] = {"elements", "", 1, 1e9, false},
    [STRIDE] = {"stride", "", 1, 1e9, false},
};

static const struct variant variants[] = {
    {"light", "", {"1K,2K,3K,4K", "1,2,3,4,5,6,7,8"}, NULL},
    {"heavy", "", {"1M,2M,4M,8M", "1,2,4,8,16,32"}, NULL},
    {"only-sizes", "", {"1K,1M"}, NULL},
};

enum {
    VARIANTS = sizeof variants / sizeof *variants
};

static const double ROUND_S = 1e-9, MAKE_S = 2e-7, HANDLE_S = 1e-7; // an element

static void cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    (void)run;
    const double elements = (double)point->values[SIZE];
    const double stride = (double)(point->values[STRIDE] ? point->values[STRIDE] : 1);
    *cost =
        (struct point_cost){.make_bytes = elements, .handle_bytes = elements, .round_s = ROUND_S * elements * stride};
}

static const struct probe probe = {
    .name = "test",
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .variants = variants,
    .variant_count = VARIANTS,
    .cost = cost,
};

// A run of a program: a plan and its outcome.
struct play {
    struct device device;
    struct bench_device bench_device;
    struct settings settings;
    struct run runs[VARIANTS];
    struct plan plan;
    double started_s;
    size_t measured[VARIANTS];
    bool headline[VARIANTS]; // the last value of each sweep was measured
    double dearest_s;        // of the points that were measured
    double start_s;          // that a run's first point takes longer, whatever the truth
};

static struct play *prepare(double budget_s, bool budget_given, const char *user_strides) {
    struct play *play = calloc(1, sizeof *play);
    assert_non_null(play);
    now_s = play->started_s = 1000;
    play->device.info = (struct device_info){.spec = "cpu", .backend = BACKEND_CPU};
    play->bench_device =
        (struct bench_device){.device = &play->device, .rates = {.make_s = MAKE_S, .handle_s = HANDLE_S}};
    play->settings = (struct settings){.budget_s = budget_s, .budget_given = budget_given};
    struct sweep given[PARAMETERS_MAX] = {{0}};
    struct error error;
    if (user_strides) {
        assert_int_equal(sweep_parse(&given[STRIDE], "stride", user_strides, 1, 1000, &error), STATUS_OK);
    }
    for (size_t i = 0; i < VARIANTS; i++) {
        play->runs[i] = (struct run){
            .probe = &probe, .bench_device = &play->bench_device, .settings = &play->settings, .variant = &variants[i]};
        assert_int_equal(points_prepare(&play->runs[i], given, &error), STATUS_OK);
    }
    sweep_clear(&given[STRIDE]);
    return play;
}

static void make_plan(struct play *play) {
    struct error error;
    assert_int_equal(
        plan_make(&play->plan, &play->settings, play->runs, VARIANTS, &play->bench_device, 1, play->started_s, &error),
        STATUS_OK);
}

static bool is_headline(const struct run *run, const struct point *point) {
    for (size_t k = 0; k < PARAMETERS; k++) {
        const struct sweep *sweep = &run->sweeps[k];
        if (sweep->count > 0 && point->values[k] != sweep->values[sweep->count - 1]) {
            return false;
        }
    }
    return true;
}

// A point costs `truth` times the estimate, and its measurement takes the time that it was given, at least five rounds.
// The first point also makes the memory for all.
static void measure_point(struct play *play, const struct run *run, const struct point *point, bool first,
                          double truth) {
    const double started_s = now_s;
    struct point_cost c;
    cost(run, point, &c);
    now_s += first ? play->start_s + truth * (double)sweep_max(&run->sweeps[SIZE]) * MAKE_S : 0;
    const double given_s = play->device.info.predicted ? 0 : fmin(play->settings.limit_s, play->settings.max_time_s);
    const double sampled_s = fmax(truth * 5 * c.round_s, given_s);
    now_s += truth * c.handle_bytes * HANDLE_S + sampled_s;
    play->bench_device.sampled_s += sampled_s;
    play->dearest_s = fmax(play->dearest_s, now_s - started_s);
}

static void measure_run(struct play *play, size_t i, double truth) {
    const struct run *run = &play->runs[i];
    plan_begin_run(&play->plan, i);
    for (size_t k = 0; k < point_count(run); k++) {
        const struct point point = point_at(run, k);
        if (!point_skipped(run, &point) && plan_begin_point(&play->plan, i, &point)) {
            measure_point(play, run, &point, play->measured[i]++ == 0, truth);
            plan_end_point(&play->plan, i);
            play->headline[i] |= is_headline(run, &point);
        }
    }
}

static void measure_all(struct play *play, double truth) {
    make_plan(play);
    for (size_t i = 0; i < VARIANTS; i++) {
        measure_run(play, i, truth);
    }
}

static size_t measured(const struct play *play) {
    size_t sum = 0;
    for (size_t i = 0; i < VARIANTS; i++) {
        sum += play->measured[i];
    }
    return sum;
}

static void finish(struct play *play) {
    plan_clear(&play->plan);
    for (size_t i = 0; i < VARIANTS; i++) {
        for (size_t k = 0; k < PARAMETERS; k++) {
            sweep_clear(&play->runs[i].sweeps[k]);
        }
    }
    free(play);
}

enum {
    ALL_POINTS = 4 * 8 + 4 * 6 + 2
};

static void test_all_fits(void **state) {
    (void)state;
    struct play *play = prepare(300, true, NULL);
    measure_all(play, 1);
    char *left_out = plan_left_out(&play->plan);
    assert_string_equal(left_out, "");
    free(left_out);
    assert_int_equal(measured(play), ALL_POINTS);
    assert_true(now_s <= play->started_s + 300);
    finish(play);
}

// A row gets more time if there is more, up to its usual amount.
static void test_time_is_shared(void **state) {
    (void)state;
    double limits[2];
    for (int i = 0; i < 2; i++) {
        struct play *play = prepare(i ? 200 : 100, true, NULL);
        measure_all(play, 1);
        limits[i] = play->settings.limit_s;
        finish(play);
    }
    assert_true(limits[1] > 1.5 * limits[0]);
}

// A simulated device compiles a kernel for a run's first point, and the other points take little.
static void test_slow_starts(void **state) {
    (void)state;
    struct play *play = prepare(60, true, NULL);
    play->device.info.predicted = true;
    play->start_s = 2;
    make_plan(play);
    measure_run(play, 0, 1);
    assert_int_equal(play->measured[0], 4 * 8);
    finish(play);
}

static void test_too_little(void **state) {
    (void)state;
    struct play *play = prepare(10, true, NULL);
    measure_all(play, 1);
    assert_true(now_s <= play->started_s + 10);
    assert_true(measured(play) > VARIANTS && measured(play) < ALL_POINTS);
    for (size_t i = 0; i < VARIANTS; i++) {
        assert_true(play->headline[i]);
    }
    char *left_out = plan_left_out(&play->plan);
    assert_non_null(strstr(left_out, "cpu heavy: --"));
    free(left_out);
    finish(play);
}

// Whatever points cost compared with the estimate, the program ends in time, or one point later.
static void test_wrong_estimates(void **state) {
    (void)state;
    static const double truths[] = {0.1, 0.5, 2, 4, 8};
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        struct play *play = prepare(30, true, NULL);
        measure_all(play, truths[i]);
        assert_true(now_s <= play->started_s + 30 + play->dearest_s);
        assert_true(play->measured[0] > 0 && play->measured[1] > 0);
        finish(play);
    }
}

static void test_any_budget(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        const double budget_s = 5 + 0.1 * (double)(mix64(seed) % 2000);
        const double truth = 0.25 * (double)(1 + mix64(seed + 10000) % 16);
        struct play *play = prepare(budget_s, true, NULL);
        measure_all(play, truth);
        assert_true(now_s <= play->started_s + budget_s + play->dearest_s);
        assert_true(measured(play) > 0);
        finish(play);
    }
}

// What the user chooses is measured, unless the user also gives a budget.
static void test_users_own_sweep(void **state) {
    (void)state;
    struct play *play = prepare(5, false, "1,3,5,7");
    make_plan(play);
    for (size_t i = 0; i < VARIANTS; i++) {
        assert_int_equal(play->runs[i].sweeps[STRIDE].count, variants[i].defaults[STRIDE] ? 4 : 0);
    }
    finish(play);
    play = prepare(5, true, "1,3,5,7");
    make_plan(play);
    assert_true(play->runs[1].sweeps[STRIDE].count < 4);
    finish(play);
}

static bool has(const struct sweep *sweep, uint64_t value) {
    for (size_t i = 0; i < sweep->count; i++) {
        if (sweep->values[i] == value) {
            return true;
        }
    }
    return false;
}

// Values between powers of two go first, then the powers, then the lower end; the headline's value stays.
static void test_what_is_kept(void **state) {
    (void)state;
    size_t thinned = 0;
    for (double budget_s = 1; budget_s < 100; budget_s += 0.5) {
        struct play *play = prepare(budget_s, true, NULL);
        make_plan(play);
        const struct sweep *strides = &play->runs[0].sweeps[STRIDE];
        const bool between = has(strides, 3) || has(strides, 5) || has(strides, 6) || has(strides, 7);
        assert_true(has(strides, 8));
        assert_true(has(strides, 1) || !(has(strides, 2) || has(strides, 4)));
        assert_true((has(strides, 2) && has(strides, 4)) || !between);
        thinned += strides->count > 1 && strides->count < 8;
        finish(play);
    }
    assert_true(thinned > 0);
}

static void test_headline_and_full(void **state) {
    (void)state;
    struct play *play = prepare(15, false, NULL);
    play->settings.extent = EXTENT_HEADLINE;
    measure_all(play, 1);
    for (size_t i = 0; i < VARIANTS; i++) {
        assert_true(play->measured[i] == 1 && play->headline[i]);
    }
    finish(play);
    play = prepare(INFINITY, false, NULL);
    play->settings.extent = EXTENT_ALL;
    play->settings.max_time_s = play->settings.limit_s = 15;
    measure_all(play, 1);
    assert_int_equal(measured(play), ALL_POINTS);
    finish(play);
}

static bool skip_odd(const struct run *run, const struct point *point) {
    (void)run;
    return point->values[STRIDE] % 2 == 1;
}

// Progress counts what is measured, so that points which are skipped in no time do not shorten the time left.
static void test_points_left(void **state) {
    (void)state;
    struct probe skipping = probe;
    struct play *play = prepare(INFINITY, false, NULL);
    skipping.skip = skip_odd;
    for (size_t i = 0; i < VARIANTS; i++) {
        play->runs[i].probe = &skipping;
    }
    make_plan(play);
    assert_int_equal(plan_points_left(&play->plan, 0), 4 * 4 + 4 * 5 + 2);
    measure_run(play, 0, 1);
    assert_int_equal(play->measured[0], 4 * 4);
    assert_int_equal(plan_points_left(&play->plan, 0), 4 * 5 + 2);
    assert_int_equal(plan_points_left(&play->plan, 2), 2);
    finish(play);
    play = prepare(2, true, NULL);
    make_plan(play);
    for (size_t i = 0; i < VARIANTS; i++) {
        measure_run(play, i, 20); // so that some are dropped
    }
    assert_int_equal(plan_points_left(&play->plan, 0), 0);
    finish(play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fits),          cmocka_unit_test(test_time_is_shared),
        cmocka_unit_test(test_slow_starts),       cmocka_unit_test(test_too_little),
        cmocka_unit_test(test_wrong_estimates),   cmocka_unit_test(test_any_budget),
        cmocka_unit_test(test_users_own_sweep),   cmocka_unit_test(test_what_is_kept),
        cmocka_unit_test(test_headline_and_full), cmocka_unit_test(test_points_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
