// A profiler's output, the launches that it belongs to, and the comparison with the model's counts.
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

#include "bench/counters/counters.h"
#include "bench/counters/vendor.h"

// A file of this text; the caller removes it.
static void write_file(char path[64], const char *text) {
    snprintf(path, 64, "/tmp/bankshot-counters-XXXXXX");
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
}

// ---- CSV ----

static size_t rows_of(const char *text, bool *torn, char last[64]) {
    struct csv_table table;
    char path[64];
    size_t count = 0;
    write_file(path, text);
    assert_true(csv_open(&table, path, "ID"));
    while (csv_next(&table)) {
        count++;
        snprintf(last, 64, "%s", csv_field(&table, "Name"));
    }
    *torn = table.torn;
    csv_close(&table);
    unlink(path);
    return count;
}

static void test_table(void **state) {
    bool torn;
    char last[64] = "";
    (void)state;
    assert_int_equal(
        rows_of("==PROF== a\nhello\n\"ID\",\"Name\"\n\"0\",\"a\"\n==WARN== b\n\"1\",\"b, \"\"c\"\"\"\n", &torn, last),
        2);
    assert_false(torn);
    assert_string_equal(last, "b, \"c\"");
    assert_int_equal(rows_of("ID,Name\r\n0,a\r\n1,\r\n", &torn, last), 2);
    assert_false(torn);
    assert_string_equal(last, "");
}

static void test_torn_table(void **state) {
    static const char *const ends[] = {"\"1\",\"b", "\"1\",\"b\"", "\"1\"\n", "\"1\",\"b\",\"c\"\n", "\"1\",\"b\n"};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[128], last[64];
        bool torn = false;
        snprintf(text, sizeof text, "\"ID\",\"Name\"\n\"0\",\"a\"\n%s", ends[i]);
        assert_int_equal(rows_of(text, &torn, last), 1);
        assert_true(torn);
    }
}

static void test_numbers(void **state) {
    double value;
    (void)state;
    assert_true(csv_number("1,234,567.5", &value));
    assert_true(value == 1234567.5);
    assert_true(csv_number("n/a", &value));
    assert_true(isnan(value));
    assert_false(csv_number("12 K", &value));
    assert_false(csv_number("", &value));
    assert_false(csv_number(NULL, &value));
    const struct dimensions size = csv_dimensions("(256, 2, 3)"), product = csv_dimensions("512");
    assert_int_equal(size.x * 100 + size.y * 10 + size.z, 25623);
    assert_int_equal(product.x, 512);
}

// ---- Launches and rows ----

#define LAUNCHES "point\nlaunch fill 9 1 1 32 1 1 0\nwindow\nlaunch pad 4 1 1 64 1 1 1\nlaunch unpad 4 1 1 64 1 1 1\n"

static struct launch_log log_of(const char *text) {
    struct launch_log log;
    char path[64];
    write_file(path, text);
    assert_int_equal(launches_read(&log, path, NULL), STATUS_OK);
    unlink(path);
    return log;
}

static void add_printed(struct launch_list *list, const char *kernel, uint32_t grid, double value) {
    struct counted_launch *launch = launches_add(list);
    assert_non_null(launch);
    snprintf(launch->kernel, sizeof launch->kernel, "%s", kernel);
    launch->grid = (struct dimensions){grid, 1, 1};
    launch->values[0] = value;
}

static enum status match(const struct counter_vendor *vendor, const char *const kernels[2], const uint32_t grids[2],
                         struct launch_log *log) {
    struct launch_list printed = {0};
    for (size_t i = 0; i < 2 && kernels[i]; i++) {
        add_printed(&printed, kernels[i], grids[i], (double)i + 1);
    }
    const enum status status = match_launches(vendor, &printed, log, NULL);
    free(printed.at);
    return status;
}

// A load, an addition that returns nothing, and their sectors.
static double counted_requests(double load_efficiency_pct, double store_efficiency_pct) {
    const struct counted_launch launch = {.values = {[0] = 10, [3] = 2, [4] = 40, [7] = 2}};
    struct row row = {.load_efficiency_pct = load_efficiency_pct, .store_efficiency_pct = store_efficiency_pct};
    nvidia_counters.fill(&launch, &row);
    return row.counted_requests + 1000 * row.counted_sectors;
}

// The places of the counters of another block's shared memory, after those of global and shared memory.
enum {
    PASSES_OWN = 8,
    REQUESTS_REMOTE = 14,
    PASSES_REMOTE_READ,
    PASSES_REMOTE_WRITE
};

static double remote_counts(const char *op, uint64_t distance, uint64_t width) {
    const struct counted_launch launch = {
        .values = {[PASSES_OWN] = 7, [REQUESTS_REMOTE] = 10, [PASSES_REMOTE_READ] = 50, [PASSES_REMOTE_WRITE] = 60}};
    struct row row = {.distance = distance, .width_bytes = width};
    snprintf(row.op, sizeof row.op, "%s", op);
    nvidia_counters.fill(&launch, &row);
    return row.counted_passes + 1000 * row.counted_conflicts;
}

static void test_other_blocks(void **state) {
    (void)state;
    assert_true(remote_counts("load", 1, 4) == 40050);
    assert_true(remote_counts("load", 1, 16) == 10050);
    assert_true(remote_counts("store", 3, 2) == 50060);
    assert_true(isnan(remote_counts("atomic-add", 1, 4)));
    assert_true(remote_counts("load", 0, 4) == 7); // its own, by the same path
    assert_true(remote_counts("load", ROW_NO_COUNT, 4) == 7);
}

static void test_atomics_are_stores(void **state) {
    (void)state;
    assert_true(counted_requests(100, NAN) == 40010);
    assert_true(counted_requests(NAN, 100) == 2002);
    assert_true(counted_requests(100, 100) == 42012);
}

static void test_launches(void **state) {
    struct launch_log log = log_of(LAUNCHES);
    (void)state;
    assert_int_equal(log.launches.count, 3);
    assert_int_equal(match(&nvidia_counters, (const char *[]){"pad(int *)", "unpad"}, (uint32_t[]){4, 0}, &log),
                     STATUS_OK);
    assert_true(isnan(log.launches.at[0].values[0]));
    assert_true(log.launches.at[1].values[0] == 1 && log.launches.at[2].values[0] == 2);
    assert_int_equal(match(&nvidia_counters, (const char *[]){"unpad", "pad"}, (uint32_t[]){4, 4}, &log),
                     STATUS_FAILED);
    assert_int_equal(match(&nvidia_counters, (const char *[]){"padded", "unpad"}, (uint32_t[]){4, 4}, &log),
                     STATUS_FAILED);
    assert_int_equal(match(&nvidia_counters, (const char *[]){"pad", "unpad"}, (uint32_t[]){4, 5}, &log),
                     STATUS_FAILED);
    assert_int_equal(match(&nvidia_counters, (const char *[]){"pad", NULL}, (uint32_t[]){4, 4}, &log), STATUS_FAILED);
    // AMD's profiler counts every launch, in threads, including kernels that are not needed.
    assert_int_equal(match(&amd_counters, (const char *[]){"pad.kd", "unpad"}, (uint32_t[]){256, 256}, &log),
                     STATUS_OK);
    assert_int_equal(match(&amd_counters, (const char *[]){"pad.kd", "unpad"}, (uint32_t[]){256, 4}, &log),
                     STATUS_FAILED);
    launches_clear(&log);
}

static void test_cut_log(void **state) {
    static const char *const cut[] = {"point\nlaunch pad 4 1 1 64 1 1\n", "point\nlaunch pad 4 1 1 64 1 1 1"};
    (void)state;
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        struct launch_log log;
        char path[64];
        write_file(path, cut[i]);
        assert_int_equal(launches_read(&log, path, NULL), STATUS_FAILED);
        launches_clear(&log);
        unlink(path);
    }
}

static struct row row_of(const char *kernel, const char *grid, const char *block) {
    struct row row = row_empty();
    snprintf(row.kernel, sizeof row.kernel, "%s", kernel);
    snprintf(row.grid, sizeof row.grid, "%s", grid);
    snprintf(row.block, sizeof row.block, "%s", block);
    return row;
}

static void test_rows(void **state) {
    const struct row pad = row_of("pad", "4", "64"), all = row_of("all", "", "64"), copy = row_of("copy-in", "", "");
    char text[8192], keys[3][ROW_KEY];
    row_key(&pad, keys[0]);
    row_key(&all, keys[1]);
    row_key(&copy, keys[2]);
    snprintf(text, sizeof text, LAUNCHES "row %s\nrow %s\nrow %s\nwindow\nlaunch chase 1 1 1 1 1 1 1\nrow %s\nrow %s\n",
             keys[0], keys[1], keys[2], keys[2], keys[2]);
    struct launch_log log = log_of(text);
    bool left_out;
    (void)state;
    const struct counted_launch *found = match_row(&log, &pad, &left_out);
    assert_true(found && strcmp(found->kernel, "pad") == 0); // unpad has the same grid and block
    assert_false(left_out);
    assert_ptr_equal(match_row(&log, &pad, &left_out), found); // measured again
    assert_false(left_out);
    const struct row other = row_of("other", "4", "64");
    assert_null(match_row(&log, &other, &left_out));
    assert_true(left_out);
    assert_null(match_row(&log, &all, &left_out));  // about several kernels
    assert_null(match_row(&log, &copy, &left_out)); // which of two kernels is not known
    found = match_row(&log, &copy, &left_out);
    assert_true(found && strcmp(found->kernel, "chase") == 0); // the only one of its window
    assert_null(match_row(&log, &copy, &left_out));            // not measured by the window of the row before
    assert_false(left_out);
    assert_null(match_row(&log, &copy, &left_out)); // all of them again, in the same order
    assert_ptr_equal(match_row(&log, &copy, &left_out), found);
    launches_clear(&log);
}

// ---- Verdicts ----

static struct row counted_row(double requests, double sectors, double passes, double conflicts) {
    struct row row = row_empty();
    row.counted_requests = requests;
    row.counted_sectors = sectors;
    row.counted_passes = passes;
    row.counted_conflicts = conflicts;
    return row;
}

static void test_verdicts(void **state) {
    struct row row = counted_row(1009, 4000, 100, 1);
    (void)state;
    assert_string_equal(match_verdict(&row), ""); // no model
    row.requests = 1000;
    row.sectors = 4000;
    assert_string_equal(match_verdict(&row), "agrees");
    row.counted_requests = 1011;
    assert_string_equal(match_verdict(&row), "differs");
    row.requests = 0; // of a row of shared memory
    row.passes = 100;
    row.bank_conflicts = 0; // one in a hundred passes is allowed
    assert_string_equal(match_verdict(&row), "agrees");
    row.counted_conflicts = 2;
    assert_string_equal(match_verdict(&row), "differs");
    row.counted_conflicts = NAN; // the part has no such counter
    assert_string_equal(match_verdict(&row), "agrees");
    row.counted_passes = 0;
    assert_string_equal(match_verdict(&row), "differs");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_blocks), cmocka_unit_test(test_atomics_are_stores),
        cmocka_unit_test(test_table),        cmocka_unit_test(test_torn_table),
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_launches),
        cmocka_unit_test(test_cut_log),      cmocka_unit_test(test_rows),
        cmocka_unit_test(test_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
