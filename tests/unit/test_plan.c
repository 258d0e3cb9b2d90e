// The plan, on a clock that the test moves: devices whose points cost what the test defines.
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
#include "bench/rounds.h"
#include "util/clock.h"

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
    [SIZE] = {.name = "elements", .letter = 'n', .min = 1, .max = 1e9},
    [STRIDE] = {.name = "stride", .letter = 's', .min = 1, .max = 1e9},
};

static void cost(const struct run *run, const struct point *point, struct point_cost *cost);

static const struct variant_kind kind = {.cost = cost};

static const struct variant variants[] = {
    {"light", "", {"1K,2K,3K,4K", "1,2,3,4,5,6,7,8"}, NULL, &kind},
    {"heavy", "", {"1M,2M,4M,8M", "1,2,4,8,16,32"}, NULL, &kind},
    {"only-sizes", "", {"1K,1M"}, NULL, &kind},
};

enum {
    VARIANTS = sizeof variants / sizeof *variants,
    DEVICES = 2,
    RUNS = DEVICES * VARIANTS,
    POINTS = 4 * 8 + 4 * 6 + 2, // of a device
};

static const double ELEMENT_S = 1e-7; // to prepare an element

static const struct telling telling[] = {
    {"heavy", {[STRIDE] = 4}},
    {"light,only-sizes", {[STRIDE] = 2}},
};

static double known_round_s;  // what the probe says that a round takes
static uint64_t large_stride; // of points that the probe says to take long to prepare; 0: none
static double large_bytes;    // that these allocate and fill
static double small_bytes;    // that the others allocate and fill

static void cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    (void)run;
    cost->round_s = known_round_s;
    cost->prepare_s = point->values[STRIDE] == large_stride && large_bytes == 0 ? 5 : 0;
    cost->make_bytes = point->values[STRIDE] == large_stride ? large_bytes : small_bytes;
}

static const struct probe probe = {
    .name = "test",
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .variants = variants,
    .variant_count = VARIANTS,
    .telling = telling,
    .telling_count = sizeof telling / sizeof *telling,
    .headline_values = {[STRIDE] = 2},
};

// A run of a program: a plan and what it does.
struct play {
    struct device devices[DEVICES];
    struct bench_device bench_devices[DEVICES];
    struct settings settings;
    struct run runs[RUNS];
    struct plan plan;
    size_t device_count;
    size_t rounds;    // points that were measured, again and again
    double longest_s; // of these
    double noisy_pct; // the interval of a point of ten samples
    size_t first[8];  // the numbers of the first items
};

static struct play *prepare(double budget_s, bool budget_given, const char *user_strides, size_t device_count) {
    struct play *play = calloc(1, sizeof *play);
    struct sweep given[PARAMETERS_MAX] = {{0}};
    struct error error;
    assert_non_null(play);
    now_s = 1000;
    known_round_s = 0;
    large_stride = 0;
    large_bytes = 0;
    small_bytes = 0;
    play->settings = (struct settings){.budget_s = budget_s, .budget_given = budget_given, .noise_pct = 0.5};
    play->device_count = device_count;
    play->noisy_pct = 0.1;
    if (user_strides) {
        assert_int_equal(sweep_parse(&given[STRIDE], "stride", user_strides, 1, 1000, &error), STATUS_OK);
    }
    for (size_t i = 0; i < device_count * VARIANTS; i++) {
        const size_t d = i / VARIANTS;
        play->devices[d].info = (struct device_info){.spec = "cpu", .backend = BACKEND_CPU};
        play->bench_devices[d] = (struct bench_device){.device = &play->devices[d]};
        play->runs[i] = (struct run){.probe = &probe,
                                     .bench_device = &play->bench_devices[d],
                                     .settings = &play->settings,
                                     .variant = &variants[i % VARIANTS]};
        assert_int_equal(points_prepare(&play->runs[i], given, &error), STATUS_OK);
    }
    sweep_clear(&given[STRIDE]);
    return play;
}

static void make_plan(struct play *play) {
    struct error error;
    assert_int_equal(plan_make(&play->plan, &play->settings, play->runs, play->device_count * VARIANTS,
                               play->bench_devices, play->device_count, now_s, &error),
                     STATUS_OK);
}

// A point is prepared in time with its elements and takes samples of 10 ms for as long as it may.
static void measure_item(struct play *play, struct item *item) {
    const struct point point = point_at(item->run, item->number);
    const struct settings *settings = &play->settings;
    const double began_s = now_s, prepare_s = (double)point.values[SIZE] * ELEMENT_S;
    const bool predicted = item->run->bench_device->device->info.predicted;
    const struct sample sample = {.round_ns = 1e7, .sample_ns = 1e7};
    now_s += prepare_s;
    for (uint64_t taken = 0;
         !predicted && (taken < settings->more || now_s < began_s + prepare_s + settings->min_time_s); taken++) {
        struct series *series = &item->kept.series[0];
        if (item->kept.count == 0) {
            series = series_list_next(&item->kept);
        }
        series_add(series, &sample);
        now_s += 0.01;
        item->run->bench_device->sampled_s += 0.01;
        if (now_s - began_s - prepare_s >= settings->limit_s) {
            break;
        }
    }
    item->rows = item->rows ? item->rows : calloc(1, sizeof *item->rows);
    item->row_count = 1;
    item->rows[0] = row_empty();
    strcpy(item->rows[0].kernel, "all");
    if (!predicted) {
        item->rows[0].samples = item->kept.series[0].count;
        item->rows[0].interval_pct = play->noisy_pct * sqrt(10.0 / (double)item->rows[0].samples);
    }
    if (play->rounds < sizeof play->first / sizeof *play->first) {
        play->first[play->rounds] = (size_t)(item - play->plan.items);
    }
    play->rounds++;
    play->longest_s = fmax(play->longest_s, now_s - began_s);
    plan_done(&play->plan, item, now_s - began_s);
}

static void measure_all(struct play *play) {
    make_plan(play);
    for (struct item *item = plan_next(&play->plan); item; item = plan_next(&play->plan)) {
        measure_item(play, item);
    }
}

static size_t measured(const struct play *play) {
    return play->plan.count - plan_left_out_count(&play->plan);
}

static void finish(struct play *play) {
    plan_clear(&play->plan);
    for (size_t i = 0; i < RUNS; i++) {
        for (size_t k = 0; k < PARAMETERS; k++) {
            sweep_clear(&play->runs[i].sweeps[k]);
        }
    }
    free(play);
}

// Narrow rows are measured twice, at two moments, and then nothing more is done.
static void test_narrow_rows(void **state) {
    (void)state;
    struct play *play = prepare(300, true, NULL, 1);
    measure_all(play);
    assert_true(play->plan.count == POINTS && measured(play) == POINTS && play->rounds == 2 * POINTS);
    assert_true(now_s < 1000 + 300);
    finish(play);
}

// Wide rows get samples until time is over, every one of them.
static void test_wide_rows(void **state) {
    (void)state;
    struct play *play = prepare(300, true, NULL, 1);
    play->noisy_pct = 100;
    measure_all(play);
    size_t fewest = SIZE_MAX, most = 0;
    for (size_t i = 0; i < play->plan.count; i++) {
        const size_t samples = series_list_samples(&play->plan.items[i].kept);
        fewest = samples < fewest ? samples : fewest;
        most = samples > most ? samples : most;
    }
    assert_true(measured(play) == POINTS && fewest > 40 && most <= 8 * fewest);
    assert_true(now_s > 1000 + 0.8 * 300 && now_s < 1000 + 300);
    finish(play);
}

// Each point is begun once, also while others are not done.
static void test_several_at_once(void **state) {
    (void)state;
    struct play *play = prepare(60, true, NULL, 1);
    struct item *begun[POINTS];
    make_plan(play);
    for (size_t i = 0; i < POINTS; i++) {
        begun[i] = plan_next(&play->plan);
        assert_non_null(begun[i]);
        for (size_t k = 0; k < i; k++) {
            assert_ptr_not_equal(begun[i], begun[k]);
        }
    }
    assert_null(plan_next(&play->plan)); // none is known yet, so none is measured again
    for (size_t i = 0; i < POINTS; i++) {
        measure_item(play, begun[i]);
    }
    assert_int_equal(measured(play), POINTS);
    finish(play);
}

// One noisy point gets the time that the others do not need, and costs none of them.
static void test_one_wide_row(void **state) {
    (void)state;
    struct play *play = prepare(60, true, NULL, 1);
    make_plan(play);
    for (struct item *item = plan_next(&play->plan); item; item = plan_next(&play->plan)) {
        play->noisy_pct = item == &play->plan.items[3] ? 1000 : 0.1;
        measure_item(play, item);
    }
    assert_int_equal(measured(play), POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        assert_true(i == 3 || play->plan.items[3].rounds > play->plan.items[i].rounds);
    }
    finish(play);
}

static void test_order(void **state) {
    (void)state;
    struct play *play = prepare(100, true, NULL, 1);
    measure_all(play);
    // "heavy" at a stride of 4: the ends of the sizes, then those between; then "light" at 2.
    static const size_t expected[] = {32 + 2, 32 + 18 + 2, 32 + 6 + 2, 32 + 12 + 2};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(play->first[i], expected[i]);
    }
    const struct point fifth = point_at(play->plan.items[play->first[4]].run, play->plan.items[play->first[4]].number);
    assert_true(fifth.values[STRIDE] == 2 || fifth.values[STRIDE] == 0);
    finish(play);
    play = prepare(INFINITY, false, NULL, 1);
    play->settings.samples = 10;
    play->settings.more = 10;
    measure_all(play); // everything: in the order of rows, once
    assert_true(play->first[0] == 0 && play->first[1] == 1 && play->rounds == POINTS);
    finish(play);
}

// What does not fit is left out and named; what tells most is there.
static void test_too_little_time(void **state) {
    (void)state;
    struct play *play = prepare(3, true, NULL, 1);
    measure_all(play);
    char *left_out = budget_left_out(&play->plan);
    assert_true(measured(play) >= 4 && measured(play) < POINTS && now_s < 1000 + 3 + play->longest_s);
    assert_non_null(strstr(left_out, "cpu "));
    assert_non_null(strstr(left_out, "point"));
    for (size_t i = 0; i < play->plan.count; i++) {
        assert_true(play->plan.items[i].state != ITEM_MEASURED || play->plan.items[i].rounds > 0);
    }
    free(left_out);
    finish(play);
    play = prepare(0.001, true, NULL, 1);
    measure_all(play); // a budget that is over before the first row allows one row
    assert_int_equal(measured(play), 1);
    finish(play);
}

// The probe knows that its points are too long for what is left.
static void test_known_costs(void **state) {
    (void)state;
    struct play *play = prepare(10, true, NULL, 1);
    known_round_s = 4;
    measure_all(play);
    assert_int_equal(measured(play), 1);
    finish(play);
}

// Measures all points and checks that the large ones come after all others. After each point the memory of the device
// turns out to take make_s a byte; 0: nobody notes that.
static void large_come_last(struct play *play, double make_s) {
    size_t tried = 0, late = 0;
    large_stride = 8;
    make_plan(play);
    for (struct item *item = plan_next(&play->plan); item && tried < POINTS; item = plan_next(&play->plan)) {
        const bool large = point_at(item->run, item->number).values[STRIDE] == large_stride;
        late += large;
        assert_true(late == 0 || large || tried == 0);
        measure_item(play, item);
        if (make_s > 0) {
            rates_note_made(item->run->bench_device, 1, make_s);
        }
        tried++;
    }
    assert_true(tried == POINTS && late == 4 + 4 && measured(play) == POINTS);
    finish(play);
}

// Points of which the probe knows that they take several times as long as others come after all others.
static void test_long_preparation(void **state) {
    (void)state;
    large_come_last(prepare(300, true, NULL, 1), 0);
}

// Memory turns out to be slower than the small array at the start said, so points that need much of it wait.
static void test_slow_memory(void **state) {
    (void)state;
    struct play *play = prepare(300, true, NULL, 1);
    large_bytes = 1e9;
    play->bench_devices[0].rates.make_s = 1e-12;
    large_come_last(play, 5e-9);
}

// Points that need many times the memory of others wait, however fast memory came so far.
static void test_much_memory(void **state) {
    (void)state;
    struct play *play = prepare(300, true, NULL, 1);
    large_bytes = 7e9;
    small_bytes = 1e9;
    play->bench_devices[0].rates.make_s = 1e-12;
    large_come_last(play, 0);
}

// Points that the probe names wait for those that tell as much, and for all others if they need much of the time left.
static void test_telling_points_wait_for_their_kind(void **state) {
    (void)state;
    static const double budgets_s[] = {300, 12};
    for (size_t b = 0; b < 2; b++) {
        struct play *play = prepare(budgets_s[b], true, NULL, 1);
        size_t tried = 0;
        large_stride = 2;
        make_plan(play);
        for (struct item *item = plan_next(&play->plan); item && tried < 12; item = plan_next(&play->plan)) {
            const bool large = point_at(item->run, item->number).values[STRIDE] == large_stride;
            assert_int_equal(item->telling, tried < 4 ? 0 : tried < 6 || (tried < 10 && b == 0) ? 1 : 2);
            assert_int_equal(large, tried >= 6 && tried < 10 && b == 0);
            measure_item(play, item);
            tried++;
        }
        assert_int_equal(tried, 12);
        finish(play);
    }
}

// A device whose rates nobody measured has none.
static void test_no_rates(void **state) {
    (void)state;
    struct bench_device bench_device = {0};
    rates_note_made(&bench_device, 1e8, 0.5);
    assert_true(bench_device.rates.make_s == 0);
}

// What the user chose is measured whatever the default budget is, unless a budget was given.
static void test_asked(void **state) {
    (void)state;
    struct play *play = prepare(1, false, "1:40", 1);
    measure_all(play);
    assert_int_equal(plan_left_out_count(&play->plan),
                     0 + (play->plan.items[play->plan.count - 1].state == ITEM_LEFT_OUT) +
                         (play->plan.items[play->plan.count - 2].state == ITEM_LEFT_OUT));
    finish(play);
    play = prepare(1, true, "1:40", 1);
    measure_all(play);
    assert_true(plan_left_out_count(&play->plan) > 100);
    char *left_out = budget_left_out(&play->plan);
    assert_non_null(strstr(left_out, "--stride"));
    free(left_out);
    finish(play);
}

// The default budget does not count the seconds that --min-time asks for in each row; one that is given does.
static void test_min_time(void **state) {
    (void)state;
    static const double MIN_S = 3;
    struct error error;
    for (int given = 0; given < 2; given++) {
        struct play *play = prepare(given ? 60 : -1, false, NULL, 1);
        play->settings.min_time_s = MIN_S;
        play->settings.max_time_s = -1;
        assert_int_equal(budget_resolve(&play->settings, false, false, &error), STATUS_OK);
        play->settings.limit_s = play->settings.max_time_s;
        measure_all(play);
        assert_int_equal(play->settings.budget_s, 60);
        assert_true(given ? (double)measured(play) < 60 / MIN_S : measured(play) == POINTS);
        finish(play);
    }
}

// Devices have equal shares of the time, and predictions are made once.
static void test_devices(void **state) {
    (void)state;
    struct play *play = prepare(30, true, NULL, 2);
    play->noisy_pct = 100;
    play->devices[1].info.predicted = true;
    measure_all(play);
    size_t predicted = 0;
    for (size_t i = POINTS; i < play->plan.count; i++) {
        predicted += play->plan.items[i].state == ITEM_MEASURED;
        assert_true(play->plan.items[i].rounds <= 1);
    }
    assert_true(predicted > POINTS / 2 && measured(play) - predicted > POINTS / 2);
    finish(play);
}

static void test_headline(void **state) {
    (void)state;
    struct play *play = prepare(8, false, NULL, 1);
    play->settings.headline = true;
    measure_all(play);
    assert_int_equal(play->plan.count, VARIANTS);
    const struct point light = point_at(play->plan.items[0].run, play->plan.items[0].number);
    assert_true(light.values[STRIDE] == 2 && light.values[SIZE] == 4096);
    finish(play);
}

// A user's sweep of a million points is planned in no time.
static void test_long_sweep(void **state) {
    (void)state;
    struct play *play = prepare(5, true, "1:1000", 1);
    measure_all(play);
    assert_true(measured(play) > 1 && plan_left_out_count(&play->plan) > 1000);
    finish(play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow_rows),
        cmocka_unit_test(test_wide_rows),
        cmocka_unit_test(test_several_at_once),
        cmocka_unit_test(test_one_wide_row),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_too_little_time),
        cmocka_unit_test(test_slow_memory),
        cmocka_unit_test(test_much_memory),
        cmocka_unit_test(test_telling_points_wait_for_their_kind),
        cmocka_unit_test(test_no_rates),
        cmocka_unit_test(test_known_costs),
        cmocka_unit_test(test_long_preparation),
        cmocka_unit_test(test_asked),
        cmocka_unit_test(test_min_time),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_headline),
        cmocka_unit_test(test_long_sweep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
