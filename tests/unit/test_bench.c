// The harness: statistics, rows and output.
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
        cmocka_unit_test(test_row_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
