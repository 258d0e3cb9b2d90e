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

#include "bench/keys.h"
#include "bench/measure.h"
#include "bench/output.h"
#include "bench/probe.h"
#include "bench/row.h"

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
    for (size_t i = 0; i < ROW_COLUMN_COUNT; i++) {
        assert_string_equal(row_field(&row, i, field), "");
    }
    row.stride = 0;
    row.peak_pct = 99.126;
    row.useful_bytes = 123456789012;
    assert_string_equal(row_field(&row, row_column_find("stride"), field), "0");
    assert_string_equal(row_field(&row, row_column_find("peak_pct"), field), "99.13");
    assert_string_equal(row_field(&row, row_column_find("useful_bytes"), field), "123456789012");
    assert_int_equal(row_column_find("nonsense"), ROW_COLUMN_COUNT);
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
    assert_int_equal(output_open(&output, &(struct output_paths){.csv = path}, &error), STATUS_OK);
    output_metadata(&output, "key", "two\nlines");
    assert_int_equal(output_row(&output, &row, &error), STATUS_OK);
    assert_int_equal(output_close(&output, true, &error), STATUS_OK);
    char *text = read_file(path);
    assert_non_null(strstr(text, "# key: two lines\nprobe,variant,backend,"));
    assert_non_null(strstr(text, "\n,,,\"Big, \"\"fast\"\" GPU\",,"));
    free(text);
    unlink(path);
}

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
    static const struct table sections[] = {
        {{COLUMN(width_bytes), COLUMN(verdict)}, 2, 8, 8},
        {{COLUMN(kernel), COLUMN(verdict)}, 2, 8, 8},
        {{COLUMN(kernel), COLUMN(verdict)}, 2, 8, 8},
        {{COLUMN(verdict)}, 1, 8, 8},
    };
    assert_int_equal(output_open(&output, &(struct output_paths){0}, &error), STATUS_OK);
    output.file = fdopen(mkstemp(path), "w");
    assert_non_null(output.file);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        output_section(&output, &sections[i]);
        assert_int_equal(i > 0 ? output_row(&output, &row, &error) : STATUS_OK, STATUS_OK);
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
    assert_int_equal(output_open(&output, &(struct output_paths){.csv = path}, &error), STATUS_OK);
    output_metadata(&output, "key", "value");
    assert_int_equal(output_close(&output, false, &error), STATUS_OK);
    assert_file(path, "old");
    assert_int_equal(output_open(&output, &(struct output_paths){.csv = path}, &error), STATUS_OK);
    output_metadata(&output, "key", "value");
    assert_file(path, "old");
    assert_int_equal(output_row(&output, &row, &error), STATUS_OK);
    char *text = read_file(path); // during the run
    assert_int_equal(strncmp(text, "# key: value\nprobe,variant", 26), 0);
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
    assert_int_equal(output_open(&output, &(struct output_paths){.csv = path}, &error), STATUS_OK);
    output_metadata(&output, "key", "value");
    assert_int_equal(output_close(&output, false, &error), STATUS_OK);
    assert_int_not_equal(access(path, F_OK), 0); // a run that failed leaves no file
    assert_int_equal(output_open(&output, &(struct output_paths){.csv = path}, &error), STATUS_OK);
    output_metadata(&output, "key", "value");
    assert_int_equal(output_close(&output, true, &error), STATUS_OK);
    char *text = read_file(path); // one that had nothing to measure says so
    assert_int_equal(strncmp(text, "# key: value\nprobe,variant", 26), 0);
    free(text);
    unlink(path);
}

static enum status write_two(void *context, struct output *output, struct error *error) {
    const enum status status = output_row(output, context, error);
    return status == STATUS_OK ? output_row(output, context, error) : status;
}

// Rows that got better take the place of the old ones at once, and the lock stays.
static void test_output_rewrites(void **state) {
    (void)state;
    char path[] = "/tmp/bankshot-test-XXXXXX";
    close(mkstemp(path));
    struct output output, other;
    struct error error = {0};
    struct row row = row_empty();
    snprintf(row.variant, sizeof row.variant, "first");
    assert_int_equal(output_open(&output, &(struct output_paths){.csv = path}, &error), STATUS_OK);
    assert_int_equal(output_row_to(&output, OUTPUT_STREAMS, &row, &error), STATUS_OK); // a file is none
    assert_int_equal(output_row_to(&output, OUTPUT_FILES, &row, &error), STATUS_OK);
    snprintf(row.variant, sizeof row.variant, "second");
    output_metadata(&output, "late", "line");
    assert_int_equal(output_rewrite(&output, write_two, &row, &error), STATUS_OK);
    assert_int_equal(output_open(&other, &(struct output_paths){.csv = path}, &error), STATUS_USAGE);
    assert_int_equal(output_row(&output, &row, &error), STATUS_OK);
    assert_int_equal(output_close(&output, true, &error), STATUS_OK);
    char *text = read_file(path);
    assert_int_equal(strncmp(text, "# late: line\nprobe,variant", 26), 0);
    assert_null(strstr(text, ",first,"));
    size_t rows = 0;
    for (const char *at = text; (at = strstr(at, "\n,second,")); at++) {
        rows++;
    }
    assert_int_equal(rows, 3);
    free(text);
    unlink(path);
}

static void test_output_has_one_owner(void **state) {
    (void)state;
    char path[] = "/tmp/bankshot-test-XXXXXX";
    close(mkstemp(path));
    struct output first, second;
    struct error error = {0};
    assert_int_equal(output_open(&first, &(struct output_paths){.csv = path}, &error), STATUS_OK);
    assert_int_equal(output_open(&second, &(struct output_paths){.csv = path}, &error), STATUS_USAGE);
    assert_non_null(strstr(error.text, "another run writes it: "));
    assert_int_equal(output_close(&second, false, &error), STATUS_OK);
    assert_int_equal(output_close(&first, false, &error), STATUS_OK);
    assert_int_equal(output_open(&second, &(struct output_paths){.csv = path}, &error), STATUS_OK);
    assert_int_equal(output_close(&second, false, &error), STATUS_OK);
    unlink(path);
}

static void test_output_table(void **state) {
    (void)state;
    static const struct table table = {
        {COLUMN_WIDE(op, 20), COLUMN(devices), COLUMN(time_ns_median), COLUMN(requests), COLUMN(verdict)}, 5, 8, 8};
    struct row row = row_empty();
    row.devices = 2;
    row.time_ns_median = 1234567890123456;
    row.requests = 7;
    snprintf(row.op, sizeof row.op, "pinned+copy+device");
    snprintf(row.verdict, sizeof row.verdict, "ok");
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    table_write_heading(&table, file);
    table_write_row(&table, (struct table_style){0}, &row, file);
    fclose(file);
    assert_string_equal(text, "op                   devices    time ns requests verdict\n"
                              "pinned+copy+device         2 1234567890123456        7 ok\n");
    free(text);
}

// A column without values on the device is left out, and a swept parameter gets one before the verdict, unless another
// column implies it.
static void test_table_of_run(void **state) {
    (void)state;
    static const struct table_column columns[] = {COLUMN(device),
                                                  COLUMN_ON(ON_GPUS, sectors_per_request),
                                                  COLUMN_ON(ON_PREDICTED, bytes_per_clock),
                                                  COLUMN(interval_pct),
                                                  COLUMN(type),
                                                  COLUMN(verdict),
                                                  TABLE_END};
    static const struct parameter parameters[] = {
        {.name = "width", .min = 1, .max = 16, .implied_by = "type"},
        {.name = "footprint", .min = 1, .max = 16},
        {.name = "rounds", .min = 1, .max = 16},
    };
    static const struct option_row options[] = {{"direction", 0, OPTION_TEXT, 0, "LIST", "", 0, 0, 0}};
    static const struct probe probe = {
        .parameters = parameters, .parameter_count = 3, .options = options, .option_count = 1};
    static const struct variant_kind kind = {.table = columns};
    const char *direction = NULL; // the session
    static const struct variant variant = {.name = "copy", .kind = &kind};
    struct device device = {.info = {.backend = BACKEND_CPU, .spec = "cpu"}};
    struct bench_device bench_device = {.device = &device};
    struct settings settings = {0};
    struct run run = {.probe = &probe,
                      .variant = &variant,
                      .bench_device = &bench_device,
                      .settings = &settings,
                      .session = &direction};
    for (size_t i = 0; i < 3; i++) {
        run.sweeps[i].count = 2;
    }
    const struct table cpu = table_of_run(&run);
    direction = "one-way,both-ways";
    const struct table with_list = table_of_run(&run);
    assert_int_equal(with_list.count, cpu.count + 1);
    assert_int_equal(with_list.columns[cpu.count - 1].column, COLUMN_direction);
    direction = NULL;
    settings.energy = true;
    const struct table with_energy = table_of_run(&run);
    assert_int_equal(with_energy.count, cpu.count + 3);
    assert_int_equal(with_energy.columns[cpu.count - 1].column, COLUMN_sustained_gb_s);
    assert_int_equal(with_energy.columns[cpu.count].column, COLUMN_watts);
    assert_int_equal(with_energy.columns[cpu.count + 1].column, COLUMN_pj_per_byte);
    settings.energy = false;
    static const enum row_column on_cpu[] = {COLUMN_device, COLUMN_interval_pct, COLUMN_type, COLUMN_footprint_bytes,
                                             COLUMN_verdict};
    assert_int_equal(cpu.count, sizeof on_cpu / sizeof *on_cpu);
    for (size_t i = 0; i < cpu.count; i++) {
        assert_int_equal(cpu.columns[i].column, on_cpu[i]);
    }
    device.info.backend = BACKEND_SIM;
    device.info.predicted = true;
    const struct table sim = table_of_run(&run);
    assert_int_equal(sim.count, 7);
    assert_int_equal(sim.columns[1].column, COLUMN_sectors_per_request);
    assert_int_equal(sim.columns[2].column, COLUMN_bytes_per_clock);
    assert_int_equal(sim.columns[3].column, COLUMN_expected_error_pct); // where a measured row has its interval
    assert_false(table_same_columns(&cpu, &sim));
}

static void test_output_full_disk(void **state) {
    (void)state;
    struct output output;
    struct error error = {0};
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    assert_int_equal(output_open(&output, &(struct output_paths){.csv = "/dev/full"}, &error), STATUS_OK);
    const struct row row = row_empty();
    assert_int_equal(output_row(&output, &row, &error), STATUS_FAILED);
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
    struct measurement m = {.samples = 10, .time_ns = {.median = 10}, .verification = VERIFICATION_PASSED};
    struct row row = run_row(&run);
    row.footprint_bytes = 4000;
    row_finish(&row, &run, &m, 1000); // 100 GB/s: the peak itself is allowed
    assert_string_equal(row.verdict, "ok");
    row_finish(&row, &run, &m, 1001);
    assert_string_equal(row.verdict, "above-peak");
    row.footprint_bytes = 1000;
    m.verification = VERIFICATION_FAILED;
    row_finish(&row, &run, &m, 500);
    m.verification = VERIFICATION_PASSED;
    assert_string_equal(row.verdict, "cache-resident+unverified");
    assert_string_equal(row.verified, "no");
    row.footprint_bytes = 4000;
    row.peak_gop_s = 5;
    row.ops = 50; // in 10 ns
    row_finish(&row, &run, &m, 500);
    assert_string_equal(row.verdict, "ok");
    row.ops = 51;
    row_finish(&row, &run, &m, 500);
    assert_string_equal(row.verdict, "above-peak");
}

// ---- Parameters without a column ----

struct parameters_session {
    uint64_t limit;
    const char *mode, *file;
};

static struct row emitted;

static enum status keep_emitted(struct run *run, const struct row *row, struct error *error) {
    (void)run;
    (void)error;
    emitted = *row;
    return STATUS_OK;
}

// Its own parameters are rounds and shape; width and lines have the columns width_bytes and stride.
static enum status emit_stride(struct run *run, const struct point *point, struct error *error) {
    struct row row = run_row(run);
    row.width_bytes = point->values[0];
    row.stride = point->values[1] ? point->values[1] : ROW_NO_COUNT;
    return run_emit(run, &row, error);
}

static void test_parameters(void **state) {
    static const struct parameter parameters[] = {{.name = "width", .letter = 'w', .min = 1, .max = 16},
                                                  {.name = "lines", .min = 0, .max = 64, .column = "stride"},
                                                  {.name = "rounds", .min = 1, .max = 100},
                                                  {.name = "shape", .min = 1, .max = 64, .dimensions = true}};
    static const struct option_row options[] = {
        {"mode", 0, OPTION_CHOICE, offsetof(struct parameters_session, mode), "fast|slow", "", 0, 0, "fast|slow"},
        {"limit", 0, OPTION_COUNT, offsetof(struct parameters_session, limit), "N", "", 0, 9, NULL},
        {"file", 0, OPTION_OUTPUT, offsetof(struct parameters_session, file), "FILE", "", 0, 0, NULL}};
    static const struct parameters_session usual = {0, "fast", NULL};
    static const struct variant_kind kind = {.measure = emit_stride};
    static const struct variant variant = {.name = "copy", .defaults = {"4,8", "0", "10", "8x8,16"}, .kind = &kind};
    const struct probe probe = {.name = "test",
                                .parameters = parameters,
                                .parameter_count = 4,
                                .options = options,
                                .option_count = 3,
                                .session_defaults = &usual};
    static const struct {
        uint64_t values[4];
        struct parameters_session session;
        const char *said;
    } cases[] = {
        {{4, 2, 10, 16 | UINT64_C(1) << 32}, {0, "fast", NULL}, "shape=16"},
        {{8, 2, 11, 8 | UINT64_C(8) << 32}, {0, "fast", "x"}, "rounds=11 shape=8x8"},
        {{8, 3, 10, 8 | UINT64_C(8) << 32}, {5, "slow", NULL}, "shape=8x8 mode=slow limit=5"},
    };
    struct device device = {0};
    struct bench_device bench_device = {.device = &device};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parameters_session session = cases[i].session;
        struct run run = {.probe = &probe,
                          .variant = &variant,
                          .bench_device = &bench_device,
                          .session = &session,
                          .emit = keep_emitted};
        struct point point = {.variant = &variant};
        memcpy(point.values, cases[i].values, sizeof cases[i].values);
        assert_int_equal(run_measure(&run, &point, NULL), STATUS_OK);
        assert_string_equal(emitted.parameters, cases[i].said);
    }
}

static void test_same_work(void **state) {
    struct row a = row_empty(), b = row_empty();
    (void)state;
    assert_true(row_same_work(&a, &b));
    b.time_ns_median = 5;                         // says nothing of the work
    snprintf(b.launch, sizeof b.launch, "graph"); // a prediction may not know it
    assert_true(row_same_work(&a, &b));
    b.traffic_pct = 5;
    assert_false(row_same_work(&a, &b));
    b.traffic_pct = a.traffic_pct;
    b.bytes_in_flight = 1024;
    assert_false(row_same_work(&a, &b));
    assert_true(key_column_find("launch") && key_column_find("traffic_pct") && !key_column_find("time_ns_median"));
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
        cmocka_unit_test(test_output_rewrites),
        cmocka_unit_test(test_output_table),
        cmocka_unit_test(test_table_of_run),
        cmocka_unit_test(test_output_full_disk),
        cmocka_unit_test(test_row_verdicts),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_same_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
