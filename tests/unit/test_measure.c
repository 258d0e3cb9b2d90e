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
#include "bench/verdict.h"

struct fake {
    struct device device;
    double now_ns;
    double launch_ns[4]; // used in turn
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

static enum status fake_copy(struct device *device, void *to, uint64_t from, size_t bytes, struct error *error) {
    (void)device;
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

static void test_measure_throttled(void **state) {
    (void)state;
    struct fake fake = {.launch_ns = {2e6, 2e6, 2e6, 2e6}, .device = {.info = {.backend = BACKEND_CPU}}};
    struct measurement m =
        measure_fake(&fake, &quick, 1e9); // no processor reaches this clock, so every sample is too slow
    assert_true(m.samples >= 10 && m.time_ns.median == 2e6 && isfinite(m.clock_mhz));
    assert_int_equal(m.verdicts & VERDICT_THROTTLED, VERDICT_THROTTLED);
}

static void test_measure_predicted(void **state) {
    (void)state;
    struct fake fake = {.launch_ns = {500, 500, 500, 500}, .device = {.info = {.predicted = true}}};
    struct measurement m = measure_fake(&fake, &quick, 0);
    assert_int_equal(m.samples, 0);
    assert_int_equal(fake.launches, 1);
    assert_true(m.time_ns.median == 500 && isnan(m.time_ns.min));
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
        cmocka_unit_test(test_measure_steady),       cmocka_unit_test(test_measure_beside),
        cmocka_unit_test(test_measure_held),         cmocka_unit_test(test_hold),
        cmocka_unit_test(test_measure_held_longer),  cmocka_unit_test(test_measure_noisy),
        cmocka_unit_test(test_measure_sample_count), cmocka_unit_test(test_measure_throttled),
        cmocka_unit_test(test_measure_predicted),    cmocka_unit_test(test_measure_device_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
