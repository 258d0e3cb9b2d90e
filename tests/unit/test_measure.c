// The harness's sampling, of a device that the test controls.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/measure.h"
#include "bench/probe.h"
#include "bench/row.h"
#include "util/clock.h"

struct fake {
    struct device device;
    double now_ns;
    double predict_from_ns; // where the prediction began
    double launch_ns[4];    // used in turn
    uint32_t launches;
    uint32_t clock_launches;
    uint64_t clock_ticks;  // that the longest of these lasts
    uint64_t second_ticks; // that the second of these lasts
};

struct event {
    double ns;
};

static enum status fake_record(struct device *device, struct stream *stream, struct event *event, struct error *error) {
    (void)stream;
    (void)error;
    event->ns = ((struct fake *)device)->now_ns;
    return STATUS_OK;
}

static enum status fake_synchronize(struct device *device, struct stream *stream, struct error *error) {
    (void)device;
    (void)stream;
    (void)error;
    return STATUS_OK;
}

static enum status fake_elapsed(struct device *device, struct event *start, struct event *stop, double *ns,
                                struct error *error) {
    (void)device;
    (void)error;
    *ns = stop->ns - start->ns;
    return STATUS_OK;
}

static void fake_predict_begin(struct device *device) {
    struct fake *fake = (struct fake *)device;
    fake->predict_from_ns = fake->now_ns;
}

static struct prediction fake_predict_end(struct device *device) {
    const struct fake *fake = (struct fake *)device;
    return (struct prediction){.ns = fake->now_ns - fake->predict_from_ns, .bound = {100, RESOURCE_MEMORY}};
}

static enum status fake_enqueue(void *context, struct error *error) {
    struct fake *fake = context;
    (void)error;
    fake->now_ns += fake->launch_ns[fake->launches++ % 4];
    return STATUS_OK;
}

static enum status fake_clock(struct device *device, struct stream *stream, struct kernel *kernel,
                              const struct launch *launch, struct error *error) {
    struct fake *fake = (struct fake *)device;
    (void)stream;
    (void)kernel;
    (void)error;
    fake->clock_launches++;
    const uint64_t ticks = launch->arguments[1].value.u64;
    fake->clock_ticks = ticks > fake->clock_ticks ? ticks : fake->clock_ticks;
    fake->second_ticks = fake->clock_launches == 2 ? ticks : fake->second_ticks;
    return STATUS_OK;
}

static enum status fake_copy(struct device *device, struct stream *stream, void *to, uint64_t from, size_t bytes,
                             struct error *error) {
    (void)device;
    (void)stream;
    (void)from;
    (void)error;
    memset(to, 0, bytes);
    return STATUS_OK;
}

static enum status slow_enqueue(void *context, struct error *error) {
    usleep(2000);
    return fake_enqueue(context, error);
}

static enum status failing_enqueue(void *context, struct error *error) {
    struct fake *fake = context;
    return fake->launches++ < 3 ? STATUS_OK : error_set(error, STATUS_FAILED, "device lost");
}

static const struct device_operations fake_operations = {.event_record = fake_record,
                                                         .synchronize = fake_synchronize,
                                                         .event_elapsed = fake_elapsed,
                                                         .predict_begin = fake_predict_begin,
                                                         .predict_end = fake_predict_end,
                                                         .launch = fake_clock,
                                                         .copy_to_host = fake_copy};

static const struct settings quick = {.min_time_s = 0, .max_time_s = 0.2, .noise_pct = 0.5};

static struct measurement measure_fake(struct fake *fake, const struct settings *settings, double expected_mhz) {
    struct event events[2];
    struct bench_device bench_device = {
        .device = &fake->device, .start = &events[0], .stop = &events[1], .expected_clock_mhz = expected_mhz};
    struct work work = {fake_enqueue, fake};
    struct measurement m;
    struct error error = {0};
    fake->device.operations = &fake_operations;
    assert_int_equal(measure(&bench_device, settings, &work, &m, &error), STATUS_OK);
    return m;
}

// What a driver does to released memory in the background is over when the first sample begins.
static void test_measure_waits_for_quiet(void **state) {
    (void)state;
    struct fake fake = {.launch_ns = {1e6, 1e6, 1e6, 1e6}};
    fake.device.quiet_s = clock_s() + 0.05;
    measure_fake(&fake, &quick, 0);
    assert_true(clock_s() >= fake.device.quiet_s);
}

static void test_measure_beside(void **state) {
    (void)state;
    struct event events[2];
    struct fake fake = {.device.operations = &fake_operations, .launch_ns = {1e6, 1e6, 1e6, 1e6}};
    struct fake other = {.launch_ns = {0}};
    struct bench_device bench_device = {.device = &fake.device, .start = &events[0], .stop = &events[1]};
    const struct work work = {fake_enqueue, &fake}, reference = {fake_enqueue, &other};
    struct measurement m;
    struct error error = {0};
    assert_int_equal(measure_beside(&bench_device, &quick, &work, &reference, &m, &error), STATUS_OK);
    assert_int_equal(other.launches, m.samples + 1); // before each sample, and after the last
    assert_true(m.time_ns.max == 1e6);
    other.launches = 0;
    const struct work failing = {failing_enqueue, &other};
    assert_int_equal(measure_beside(&bench_device, &quick, &work, &failing, &m, &error), STATUS_FAILED);
}

// The launches of the clock's kernel in three samples and in those to warm up. Three of them measure the clock.
static uint32_t clock_launches(struct fake *fake, const struct settings *settings, bool beside) {
    struct event events[2];
    struct bench_device bench_device = {.device = &fake->device,
                                        .start = &events[0],
                                        .stop = &events[1],
                                        .clock_kernel = (struct kernel *)fake,
                                        .expected_clock_mhz = 0};
    struct fake other = {.launch_ns = {0}};
    const struct work work = {slow_enqueue, fake}, reference = {fake_enqueue, &other};
    struct measurement m;
    struct error error = {0};
    fake->clock_launches = 0;
    assert_int_equal(measure_beside(&bench_device, settings, &work, beside ? &reference : NULL, &m, &error), STATUS_OK);
    return fake->clock_launches;
}

static void test_measure_held(void **state) {
    (void)state;
    struct fake fake = {.device = {.operations = &fake_operations, .info = {.time_counter_mhz = 1000}},
                        .launch_ns = {50e6, 50e6, 50e6, 50e6}};
    struct settings settings = quick;
    settings.samples = 3;
    assert_int_equal(clock_launches(&fake, &settings, false), 4 + 3);
    assert_true(fake.clock_ticks >= 2000000 && fake.clock_ticks <= 4000000); // as long as queueing takes, 4 ms at most
    assert_int_equal(clock_launches(&fake, &settings, true), 3);             // other streams would get ahead
    settings.host_has_part = true;
    assert_int_equal(clock_launches(&fake, &settings, false), 3);
    settings = (struct settings){.samples = 3, .long_samples = true, .max_time_s = quick.max_time_s};
    assert_true(clock_launches(&fake, &settings, false) > 3); // its length is no reason not to be queued
}

// The first sample shows how long the host takes for one round. The second one has two.
static void test_measure_held_longer(void **state) {
    (void)state;
    struct fake fake = {.device = {.operations = &fake_operations, .info = {.time_counter_mhz = 1000}},
                        .launch_ns = {0.6e6, 0.6e6, 0.6e6, 0.6e6}};
    struct settings settings = quick;
    settings.samples = 3;
    assert_int_equal(clock_launches(&fake, &settings, false), 5 + 3);
    assert_int_equal(fake.second_ticks, 4000000); // twice 2 ms or more, but not more than 4 ms
}

static void test_hold(void **state) {
    (void)state;
    struct fake fake = {.device = {.operations = &fake_operations, .info = {.time_counter_mhz = 100}}};
    struct bench_device bench_device = {.device = &fake.device};
    struct error error = {0};
    assert_int_equal(bench_device_hold(&bench_device, 5000, &error), STATUS_OK); // without a timer
    assert_int_equal(fake.clock_launches, 0);
    bench_device.clock_kernel = (struct kernel *)&fake;
    assert_int_equal(bench_device_hold(&bench_device, 5000, &error), STATUS_OK);
    assert_true(fake.clock_launches == 1 && fake.clock_ticks == 500);
    assert_int_equal(bench_device_hold_for(&bench_device, 10, &error), STATUS_OK);
    assert_int_equal(fake.clock_ticks, 10000);
    assert_int_equal(bench_device_hold_for(&bench_device, UINT32_MAX, &error), STATUS_OK);
    assert_int_equal(fake.clock_ticks, 400000); // 4 ms at most, whoever asks
}

static void test_measure_steady(void **state) {
    (void)state;
    struct fake fake = {.launch_ns = {1000, 1000, 1000, 1000}};
    struct measurement m = measure_fake(&fake, &quick, 0);
    assert_int_equal(m.samples, 10); // no noise: the least number is enough
    assert_true(m.time_ns.median == 1000 && m.time_ns.noise < 1e-9 && m.verdicts == VERDICT_OK);
    assert_true(fake.launches >= 10 * 1000 && fake.launches < 10 * 4000); // batched: a sample lasts a millisecond
    struct settings longer = quick;
    longer.long_samples = true;
    fake.launches = 0;
    measure_fake(&fake, &longer, 0);
    assert_true(fake.launches >= 10 * 16000 && fake.launches < 10 * 64000); // a twelfth of 0.2 s
}

static void test_measure_noisy(void **state) {
    (void)state;
    struct fake fake = {.launch_ns = {2e6, 4e6, 6e6, 8e6}};
    struct measurement m = measure_fake(&fake, &quick, 0);
    assert_true(m.samples >= 10 && m.verdicts == VERDICT_NOISY && m.time_ns.min == 2e6 && m.time_ns.max == 8e6);
}

static void test_measure_sample_count(void **state) {
    (void)state;
    struct fake fake = {.launch_ns = {2e6, 4e6, 6e6, 8e6}};
    struct settings settings = quick;
    settings.samples = 3;
    assert_int_equal(measure_fake(&fake, &settings, 0).samples, 3);
}

// Spins for a millisecond, but sleeps for 50 ms in the 20th launch, as if a signal had stopped the process.
static enum status stopping_enqueue(void *context, struct error *error) {
    struct fake *fake = context;
    const double began_ns = clock_ns();
    if (fake->launches == 20) {
        usleep(50000);
    }
    const double until_ns = clock_ns() + 1e6;
    while (clock_ns() < until_ns) {
    }
    fake_enqueue(context, error);
    fake->now_ns += clock_ns() - began_ns - 1e6; // the launch takes what it really took
    return STATUS_OK;
}

static void test_measure_stopped(void **state) {
    (void)state;
    struct event events[2];
    struct fake fake = {.device = {.operations = &fake_operations, .info = {.backend = BACKEND_CPU}},
                        .launch_ns = {1e6, 1e6, 1e6, 1e6}};
    struct bench_device bench_device = {.device = &fake.device, .start = &events[0], .stop = &events[1]};
    const struct settings settings = {.max_time_s = 0.012, .samples = 60, .noise_pct = 0.5}; // samples of 1 ms
    const struct work work = {stopping_enqueue, &fake};
    struct measurement m;
    struct error error = {0};
    assert_int_equal(measure(&bench_device, &settings, &work, &m, &error), STATUS_OK);
    // On a busy machine there is no time for another sample, so the wait is taken out of this one.
    assert_true(fake.launches > 60 && (m.dropped >= 1 || m.waited_pct > 10) && m.time_ns.max < 50e6);
}

static struct sample sample_of(double ns, double waited_ns) {
    return (struct sample){.round_ns = ns, .sample_ns = ns, .loss = {.waited_ns = waited_ns, .ran_ns = ns / 4}};
}

static void test_series_waited(void **state) {
    (void)state;
    struct series series = {0};
    struct measurement summary;
    for (int i = 0; i < 6; i++) {
        const struct sample calm = sample_of(1e6, 1000), waited = sample_of(3e6, 2e6);
        series_add(&series, &calm);
        series_add(&series, &waited);
    }
    assert_int_equal(series.good, 6);
    summary = series_summarize(&series, 0);
    assert_true(summary.samples == 6 && summary.dropped == 6 && summary.time_ns.max == 1e6 && summary.waited_pct < 0.2);
    series_clear(&series);
    for (int i = 0; i < 6; i++) { // nothing calm is left, so the wait is taken out
        const struct sample waited = sample_of(3e6, 2e6);
        series_add(&series, &waited);
    }
    summary = series_summarize(&series, 0);
    assert_true(summary.samples == 6 && fabs(summary.time_ns.median - 1e6) < 1 &&
                fabs(summary.waited_pct - 66.7) < 0.1);
    series_clear(&series);
}

// A summary always uses a sample: the calmest of those that ran at the clock, though a throttled one was calmer.
static void test_series_keeps_one(void **state) {
    (void)state;
    for (int waited_ns = 100000; waited_ns < 2000000; waited_ns += 70001) {
        struct series series = {0};
        struct measurement summary;
        struct sample samples[] = {sample_of(1e6, 0), sample_of(3e6 + waited_ns / 3.0, waited_ns), sample_of(3e6, 2e6)};
        samples[0].throttled = true;
        for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
            series_add(&series, &samples[i]);
        }
        summary = series_summarize(&series, 1);
        assert_int_equal(summary.samples, 1);
        assert_true(fabs(summary.time_ns.median - (samples[1].round_ns - waited_ns)) < 1);
        series_clear(&series);
    }
}

static void test_measure_throttled(void **state) {
    (void)state;
    struct fake fake = {.launch_ns = {2e6, 2e6, 2e6, 2e6}, .device = {.info = {.backend = BACKEND_CPU}}};
    struct measurement m =
        measure_fake(&fake, &quick, 1e9); // no processor reaches this clock, so every sample is too slow
    assert_true(m.samples + m.dropped >= 10 && m.time_ns.max <= 2e6 && isfinite(m.clock_mhz));
    assert_int_equal(m.verdicts & VERDICT_THROTTLED, VERDICT_THROTTLED);
}

static void test_measure_predicted(void **state) {
    (void)state;
    struct fake fake = {.launch_ns = {500, 500, 500, 500}, .device = {.info = {.predicted = true}}};
    struct measurement m = measure_fake(&fake, &quick, 0);
    assert_int_equal(m.samples, 0);
    assert_int_equal(fake.launches, 1);
    assert_true(m.time_ns.median == 500 && isnan(m.time_ns.min));
    struct row row = row_empty();
    row_set_time(&row, &m);
    assert_true(row.predicted_ns == 500 && row.bound_ns == 100);
}

// The launches when the results were poisoned and when they were checked.
struct order {
    struct fake *fake;
    uint32_t poisoned, checked, checks;
};

static enum status note_enqueue(void *context, struct error *error) {
    return fake_enqueue(((struct order *)context)->fake, error);
}

static enum status note_poison(void *context, struct error *error) {
    struct order *order = context;
    (void)error;
    order->poisoned = order->fake->launches;
    return STATUS_OK;
}

static enum status note_check(void *context, bool *right, struct error *error) {
    struct order *order = context;
    (void)error;
    order->checked = order->fake->launches;
    order->checks++;
    *right = order->checked > order->poisoned;
    return STATUS_OK;
}

// A simulation gives the same each time: the launch that is predicted is the one that is checked.
static void test_trial_predicted_once(void **state) {
    (void)state;
    struct event events[2];
    struct fake fake = {.launch_ns = {500, 500, 500, 500},
                        .device = {.operations = &fake_operations, .info = {.predicted = true}}};
    struct bench_device bench_device = {.device = &fake.device, .start = &events[0], .stop = &events[1]};
    const struct run run = {.bench_device = &bench_device, .settings = &quick};
    struct order order = {.fake = &fake};
    const struct trial trial = {.context = &order, .enqueue = note_enqueue, .poison = note_poison, .check = note_check};
    struct measurement m;
    struct error error = {0};
    assert_int_equal(run_trial(&run, &trial, &m, &error), STATUS_OK);
    assert_int_equal(m.verification, VERIFICATION_PASSED);
    assert_int_equal(fake.launches, 1);
    assert_int_equal(order.checks, 1);
    assert_true(m.time_ns.median == 500);
}

static void test_measure_device_lost(void **state) {
    (void)state;
    struct fake fake = {.device = {.operations = &fake_operations}};
    struct event events[2];
    struct bench_device bench_device = {.device = &fake.device, .start = &events[0], .stop = &events[1]};
    struct work work = {failing_enqueue, &fake};
    struct measurement m;
    struct error error = {0};
    assert_int_equal(measure(&bench_device, &quick, &work, &m, &error), STATUS_FAILED);
    assert_string_equal(error.text, "device lost");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measure_steady),
        cmocka_unit_test(test_measure_waits_for_quiet),
        cmocka_unit_test(test_measure_beside),
        cmocka_unit_test(test_measure_held),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_measure_held_longer),
        cmocka_unit_test(test_measure_noisy),
        cmocka_unit_test(test_measure_sample_count),
        cmocka_unit_test(test_measure_throttled),
        cmocka_unit_test(test_measure_stopped),
        cmocka_unit_test(test_series_waited),
        cmocka_unit_test(test_series_keeps_one),
        cmocka_unit_test(test_measure_predicted),
        cmocka_unit_test(test_measure_device_lost),
        cmocka_unit_test(test_trial_predicted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
