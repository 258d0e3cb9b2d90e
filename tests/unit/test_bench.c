// The harness: statistics, rows, output, and the sampling of a device that the test controls.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/measure.h"
#include "bench/output.h"
#include "bench/probe.h"
#include "bench/verdict.h"

// ---- Statistics, rows, verdicts ----

static void test_statistics(void **state) {
    (void)state;
    struct statistics s = statistics_of((double[]){4, 2, 8, 6}, 4);
    assert_true(s.median == 5 && s.min == 2 && s.max == 8 && s.mean == 5);
    assert_true(fabs(s.noise - sqrt(20.0 / 3) / 5) < 1e-12);
    assert_true(s.lower_quartile == 3.5 && s.upper_quartile == 6.5);
    s = statistics_of((double[]){3}, 1);
    assert_true(s.median == 3 && s.noise == 0 && s.lower_quartile == 3 && s.upper_quartile == 3);
}

static void test_row_fields(void **state) {
    (void)state;
    struct row row = row_empty();
    char field[ROW_TEXT];
    for (size_t i = 0; i < row_column_count(); i++) {
        assert_string_equal(row_field(&row, i, field), "");
    }
    row.stride = 0;
    row.peak_pct = 99.126;
    row.useful_bytes = 123456789012;
    assert_string_equal(row_field(&row, row_column_find("stride"), field), "0");
    assert_string_equal(row_field(&row, row_column_find("peak_pct"), field), "99.13");
    assert_string_equal(row_field(&row, row_column_find("useful_bytes"), field), "123456789012");
    assert_int_equal(row_column_find("nonsense"), row_column_count());
}

static void test_row_counts(void **state) {
    (void)state;
    struct row row = row_empty();
    struct launch_counts counts = {
        .global_load = {.requests = 2, .lane_bytes = 256, .sectors = 16},
        .shared_store = {.requests = 4, .passes = 8, .conflicts = 4, .unique_bytes = 512},
        .warps = 2,
        .instructions = 10,
        .lane_steps = 160,
        .branches = 6,
    };
    row_set_counts(&row, &counts, gpu_find("h200"));
    assert_true(row.sectors_per_request == 8 && row.load_efficiency_pct == 50 && isnan(row.store_efficiency_pct));
    assert_true(row.passes_per_request == 2 && row.bank_conflicts == 4 && row.shared_efficiency_pct == 50);
    assert_true(row.active_lanes_pct == 50 && row.branches == 3);
}

static void test_verdicts(void **state) {
    (void)state;
    char text[ROW_TEXT];
    verdict_format(text, VERDICT_OK);
    assert_string_equal(text, "ok");
    verdict_format(text, VERDICT_ABOVE_PEAK | VERDICT_NOISY);
    assert_string_equal(text, "noisy+above-peak");
}

// ---- Output ----

static char *read_file(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static void test_output_csv(void **state) {
    (void)state;
    char path[] = "/tmp/bankshot-test-XXXXXX";
    close(mkstemp(path));
    struct output output;
    struct error error = {0};
    struct row row = row_empty();
    snprintf(row.device, sizeof row.device, "Big, \"fast\" GPU");
    assert_int_equal(
        output_open(&output, &(struct output_paths){.csv = path}, "", (struct output_widths){8, 8}, &error), STATUS_OK);
    assert_int_equal(output_metadata(&output, "key", "two\nlines", &error), STATUS_OK);
    assert_int_equal(output_header(&output, &error), STATUS_OK);
    assert_int_equal(output_row(&output, &row, &error), STATUS_OK);
    assert_int_equal(output_close(&output, true, &error), STATUS_OK);
    char *text = read_file(path);
    assert_non_null(strstr(text, "# key: two lines\nprobe,variant,backend,"));
    assert_non_null(strstr(text, "\n,,,\"Big, \"\"fast\"\" GPU\",,"));
    free(text);
    unlink(path);
}

static const struct output_widths widths = {8, 8};

static void assert_file(const char *path, const char *expected) {
    char *text = read_file(path);
    assert_string_equal(text, expected);
    free(text);
}

// A section without a row has no heading, and the longest kernel's name fits below its own.
static void test_table(void **state) {
    (void)state;
    char path[] = "/tmp/bankshot-test-XXXXXX";
    struct output output;
    struct error error = {0};
    struct row row = row_empty();
    snprintf(row.kernel, sizeof row.kernel, "whole_round");
    snprintf(row.verdict, sizeof row.verdict, "ok");
    assert_int_equal(output_open(&output, &(struct output_paths){0}, "width_bytes verdict", widths, &error), STATUS_OK);
    output.file = fdopen(mkstemp(path), "w");
    assert_non_null(output.file);
    assert_int_equal(output_header(&output, &error), STATUS_OK);
    const char *const sections[] = {"width_bytes verdict", "kernel verdict", "kernel verdict", "verdict"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        const enum status status = output_section(&output, sections[i], widths, &error);
        assert_int_equal(status == STATUS_OK && i > 0 ? output_row(&output, &row, &error) : status, STATUS_OK);
    }
    fclose(output.file);
    assert_file(path, "kernel      verdict\n"
                      "whole_round ok\n"
                      "whole_round ok\n"
                      "\n"
                      "verdict\n"
                      "ok\n");
    unlink(path);
}

static void test_output_keeps_the_old_file(void **state) {
    (void)state;
    char path[] = "/tmp/bankshot-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_int_equal(write(descriptor, "old", 3), 3);
    close(descriptor);
    struct output output;
    struct error error = {0};
    struct row row = row_empty();
    assert_int_equal(output_open(&output, &(struct output_paths){.csv = path}, "", widths, &error), STATUS_OK);
    assert_int_equal(output_metadata(&output, "key", "value", &error), STATUS_OK);
    assert_int_equal(output_header(&output, &error), STATUS_OK);
    assert_int_equal(output_close(&output, false, &error), STATUS_OK);
    assert_file(path, "old");
    assert_int_equal(output_open(&output, &(struct output_paths){.csv = path}, "", widths, &error), STATUS_OK);
    assert_int_equal(output_metadata(&output, "key", "value", &error), STATUS_OK);
    assert_file(path, "old");
    assert_int_equal(output_row(&output, &row, &error), STATUS_OK);
    char *text = read_file(path); // during the run
    assert_int_equal(strncmp(text, "# key: value\n,,", 15), 0);
    free(text);
    assert_int_equal(output_close(&output, false, &error), STATUS_OK);
    unlink(path);
}

static void test_output_without_rows(void **state) {
    (void)state;
    char path[] = "/tmp/bankshot-test-XXXXXX";
    close(mkstemp(path));
    unlink(path);
    struct output output;
    struct error error = {0};
    assert_int_equal(output_open(&output, &(struct output_paths){.csv = path}, "", widths, &error), STATUS_OK);
    assert_int_equal(output_metadata(&output, "key", "value", &error), STATUS_OK);
    assert_int_equal(output_close(&output, false, &error), STATUS_OK);
    assert_int_not_equal(access(path, F_OK), 0); // a run that failed leaves no file
    assert_int_equal(output_open(&output, &(struct output_paths){.csv = path}, "", widths, &error), STATUS_OK);
    assert_int_equal(output_metadata(&output, "key", "value", &error), STATUS_OK);
    assert_int_equal(output_close(&output, true, &error), STATUS_OK);
    assert_file(path, "# key: value\n"); // one that had nothing to measure says so
    unlink(path);
}

static void test_output_has_one_owner(void **state) {
    (void)state;
    char path[] = "/tmp/bankshot-test-XXXXXX";
    close(mkstemp(path));
    struct output first, second;
    struct error error = {0};
    assert_int_equal(output_open(&first, &(struct output_paths){.csv = path}, "", widths, &error), STATUS_OK);
    assert_int_equal(output_open(&second, &(struct output_paths){.csv = path}, "", widths, &error), STATUS_USAGE);
    assert_non_null(strstr(error.text, "another run writes it: "));
    assert_int_equal(output_close(&second, false, &error), STATUS_OK);
    assert_int_equal(output_close(&first, false, &error), STATUS_OK);
    assert_int_equal(output_open(&second, &(struct output_paths){.csv = path}, "", widths, &error), STATUS_OK);
    assert_int_equal(output_close(&second, false, &error), STATUS_OK);
    unlink(path);
}

// The printed table of a row with these columns.
static char *print_table(const char *columns, const struct row *row) {
    char path[] = "/tmp/bankshot-test-XXXXXX";
    int file = mkstemp(path);
    struct output output;
    struct error error = {0};
    assert_int_equal(output_open(&output, &(struct output_paths){0}, columns, widths, &error), STATUS_OK);
    output.file = fdopen(file, "w");
    assert_int_equal(output_header(&output, &error), STATUS_OK);
    assert_int_equal(output_row(&output, row, &error), STATUS_OK);
    fclose(output.file);
    char *text = read_file(path);
    unlink(path);
    return text;
}

static void test_output_table(void **state) {
    (void)state;
    struct row row = row_empty();
    row.devices = 2;
    row.time_ns_median = 1234567890123456;
    row.requests = 7;
    snprintf(row.op, sizeof row.op, "pinned+copy+device");
    snprintf(row.verdict, sizeof row.verdict, "ok");
    char *text = print_table("op:20 devices time_ns_median requests verdict", &row);
    assert_string_equal(text, "op                   devices    time ns requests verdict\n"
                              "pinned+copy+device         2 1234567890123456        7 ok\n");
    free(text);
}

static void test_output_refuses_columns(void **state) {
    (void)state;
    static const char *const bad[] = {"device nonsense verdict", "device,op",
                                      "op op op op op op op op op op op op op op op op op"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct output output;
        struct error error = {0};
        assert_int_equal(output_open(&output, &(struct output_paths){0}, bad[i], widths, &error), STATUS_FAILED);
        assert_non_null(strstr(error.text, "table column "));
    }
}

static void test_output_full_disk(void **state) {
    (void)state;
    struct output output;
    struct error error = {0};
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    assert_int_equal(
        output_open(&output, &(struct output_paths){.csv = "/dev/full"}, "", (struct output_widths){8, 8}, &error),
        STATUS_OK);
    assert_int_equal(output_header(&output, &error), STATUS_FAILED);
    assert_non_null(strstr(error.text, "/dev/full"));
    assert_int_equal(output_close(&output, true, &error), STATUS_OK);
}

// ---- Sampling: a device whose clock the test sets ----

struct fake {
    struct device device;
    double now_ns;
    double launch_ns[4]; // used in turn
    uint32_t launches;
    uint32_t clock_launches;
    uint64_t clock_ticks; // that the longest of these lasts
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

// The launches of the clock's kernel in three samples after one to warm up. Three of them measure the clock.
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
    settings.long_samples = true;
    assert_int_equal(clock_launches(&fake, &settings, false), 3); // the host has part in the work
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

static void test_row_verdicts(void **state) {
    (void)state;
    static const struct probe probe = {.name = "gmem"};
    static const struct variant variant = {.name = "copy"};
    struct device device = {.info = {.peak_gb_s = 100, .last_level_cache_bytes = 1000}};
    struct bench_device bench_device = {.device = &device};
    struct run run = {.probe = &probe, .variant = &variant, .bench_device = &bench_device};
    struct measurement m = {.samples = 10, .time_ns = {.median = 10}};
    struct row row = run_row(&run);
    row.footprint_bytes = 4000;
    row_finish(&row, &run, &m, 1000, VERIFICATION_PASSED); // 100 GB/s: the peak itself is allowed
    assert_string_equal(row.verdict, "ok");
    row_finish(&row, &run, &m, 1001, VERIFICATION_PASSED);
    assert_string_equal(row.verdict, "above-peak");
    row.footprint_bytes = 1000;
    row_finish(&row, &run, &m, 500, VERIFICATION_FAILED);
    assert_string_equal(row.verdict, "cache-resident+unverified");
    assert_string_equal(row.verified, "no");
    row.footprint_bytes = 4000;
    row.peak_gop_s = 5;
    row.ops = 50; // in 10 ns
    row_finish(&row, &run, &m, 500, VERIFICATION_PASSED);
    assert_string_equal(row.verdict, "ok");
    row.ops = 51;
    row_finish(&row, &run, &m, 500, VERIFICATION_PASSED);
    assert_string_equal(row.verdict, "above-peak");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_row_fields),
        cmocka_unit_test(test_row_counts),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_output_csv),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_output_keeps_the_old_file),
        cmocka_unit_test(test_output_without_rows),
        cmocka_unit_test(test_output_has_one_owner),
        cmocka_unit_test(test_output_table),
        cmocka_unit_test(test_output_refuses_columns),
        cmocka_unit_test(test_output_full_disk),
        cmocka_unit_test(test_measure_steady),
        cmocka_unit_test(test_measure_beside),
        cmocka_unit_test(test_measure_held),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_measure_noisy),
        cmocka_unit_test(test_measure_sample_count),
        cmocka_unit_test(test_measure_throttled),
        cmocka_unit_test(test_measure_predicted),
        cmocka_unit_test(test_measure_device_lost),
        cmocka_unit_test(test_row_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
