// Sweeps and the command line.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/options.h"

// ---- Sweeps ----

static void assert_sweep(const char *text, size_t count, const uint64_t *expected) {
    struct sweep sweep;
    struct error error = {0};
    assert_int_equal(sweep_parse(&sweep, "--stride", text, 0, UINT64_MAX, &error), STATUS_OK);
    assert_int_equal(sweep.count, count);
    assert_memory_equal(sweep.values, expected, count * sizeof *expected);
    sweep_clear(&sweep);
}

static void test_dimensions(void **state) {
    (void)state;
    static const char *const bad[] = {"", "0x4", "4x0", "4x", "x4", "4x4x4", "4:8", "4x2000", "4,", "4 x4"};
    struct sweep sweep;
    struct error error;
    assert_int_equal(sweep_parse_dimensions(&sweep, "--block", "39x13,256", 1024, &error), STATUS_OK);
    assert_int_equal(sweep.count, 2);
    assert_int_equal(sweep.values[0], 39 | UINT64_C(13) << 32);
    assert_int_equal(sweep.values[1], 256 | UINT64_C(1) << 32);
    sweep_clear(&sweep);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(sweep_parse_dimensions(&sweep, "--block", bad[i], 1024, &error), STATUS_USAGE);
    }
}

static void test_sweep_values(void **state) {
    (void)state;
    assert_sweep("7", 1, (uint64_t[]){7});
    assert_sweep("1,2,4", 3, (uint64_t[]){1, 2, 4});
    assert_sweep("3:6", 4, (uint64_t[]){3, 4, 5, 6});
    assert_sweep("1:10:+4", 3, (uint64_t[]){1, 5, 9});
    assert_sweep("1:32:*2", 6, (uint64_t[]){1, 2, 4, 8, 16, 32});
    assert_sweep("0,8:9", 3, (uint64_t[]){0, 8, 9});
    assert_sweep("4,4,1:5,4,8,0", 7, (uint64_t[]){4, 1, 2, 3, 5, 8, 0});
    assert_sweep("4K,1m,2G", 3, (uint64_t[]){4096, 1 << 20, UINT64_C(2) << 30});
    assert_sweep("18446744073709551615", 1, (uint64_t[]){UINT64_MAX});
    assert_sweep("18446744073709551614:18446744073709551615", 2, (uint64_t[]){UINT64_MAX - 1, UINT64_MAX});
}

static void test_sweep_refusals(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "x",
                                      "-1",
                                      "1,",
                                      ",1",
                                      "1:",
                                      "5:1",
                                      "1:4:",
                                      "1:4:2",
                                      "1:4:+0",
                                      "1:4:*1",
                                      "0:4:*2",
                                      "1 2",
                                      "1;2",
                                      "0",
                                      "65",
                                      "1:65",
                                      "1K",
                                      "1.5",
                                      "0x10",
                                      "1:2:3",
                                      "1:4:+x",
                                      "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct sweep sweep;
        struct error error = {0};
        assert_int_equal(sweep_parse(&sweep, "--stride", bad[i], 1, 64, &error), STATUS_USAGE);
        assert_null(sweep.values);
        assert_non_null(strstr(error.text, "--stride"));
        assert_null(strchr(error.text, '\n'));
    }
}

static void test_sweep_too_long(void **state) {
    (void)state;
    struct sweep sweep;
    struct error error = {0};
    assert_int_equal(sweep_parse(&sweep, "--stride", "1:1G", 1, UINT64_MAX, &error), STATUS_USAGE);
    assert_non_null(strstr(error.text, "65536"));
}

// The message says what the option takes.
static void test_what_is_wanted(void **state) {
    (void)state;
    static const struct {
        const char *text, *list, *dimensions, *count;
    } rows[] = {
        {"abc", "1:32:*2", "16x16", "like 4096"},
        {"-1", "1:32:*2", "16x16", "like 4096"},
        {"1T", "K, M or G", "16x16", "like 4096"}, // not that 1 is out of range
        {"1", "64 to 128", NULL, "64 to 128"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sweep sweep;
        uint64_t value;
        struct error error = {0};
        assert_int_equal(sweep_parse(&sweep, "--stride", rows[i].text, 64, 128, &error), STATUS_USAGE);
        assert_non_null(strstr(error.text, rows[i].list));
        assert_int_equal(parse_count(&value, "--seed", rows[i].text, 64, 128, &error), STATUS_USAGE);
        assert_non_null(strstr(error.text, rows[i].count));
        if (rows[i].dimensions) {
            assert_int_equal(sweep_parse_dimensions(&sweep, "--block", rows[i].text, 128, &error), STATUS_USAGE);
            assert_non_null(strstr(error.text, rows[i].dimensions));
        }
    }
}

// ---- Options ----

struct targets {
    bool quiet;
    const char *csv, *cache;
    double noise;
    uint64_t samples;
    struct sweep stride;
    struct option_list arguments;
};

static enum status parse(struct targets *t, struct error *error, int argc, const char **argv) {
    const struct option_row rows[] = {
        {"quiet", 'q', OPTION_FLAG, offsetof(struct targets, quiet), NULL, "", 0, 0, 0},
        {"csv", 'o', OPTION_TEXT, offsetof(struct targets, csv), "FILE", "", 0, 0, 0},
        {"cache", 0, OPTION_CHOICE, offsetof(struct targets, cache), "C", "", 0, 0, "cold|warm"},
        {"noise", 0, OPTION_REAL, offsetof(struct targets, noise), "PCT", "", 0, 100, 0},
        {"samples", 0, OPTION_COUNT, offsetof(struct targets, samples), "N", "", 1, 1000, 0},
        {"stride", 0, OPTION_SWEEP, offsetof(struct targets, stride), "LIST", "", 1, 64, 0},
        {"arg", 0, OPTION_APPEND, offsetof(struct targets, arguments), "A", "", 0, 0, 0},
    };
    *t = (struct targets){0};
    *error = (struct error){0};
    const struct option_table table = {rows, sizeof rows / sizeof rows[0], t};
    return options_parse(&table, 1, argc, (char **)(uintptr_t)argv, error);
}

#define PARSE(t, error, ...)                                                                                           \
    parse(t, error, (int)(sizeof((const char *[]){"gmem", __VA_ARGS__}) / sizeof(char *)),                             \
          (const char *[]){"gmem", __VA_ARGS__, NULL})

static void test_options(void **state) {
    (void)state;
    struct targets t;
    struct error error;
    assert_int_equal(PARSE(&t, &error, "--csv=a.csv", "-q", "--noise", "1.5", "--samples=3", "--stride", "1:3"),
                     STATUS_OK);
    assert_true(t.quiet);
    assert_string_equal(t.csv, "a.csv");
    assert_true(t.noise == 1.5);
    assert_int_equal(t.samples, 3);
    assert_int_equal(t.stride.count, 3);
    sweep_clear(&t.stride);
    assert_int_equal(PARSE(&t, &error, "--arg", "a", "--arg=b"), STATUS_OK);
    assert_int_equal(t.arguments.count, 2);
    assert_string_equal(t.arguments.values[1], "b");
    free(t.arguments.values);
}

static void test_option_refusals(void **state) {
    (void)state;
    struct targets t;
    struct error error;
    assert_int_equal(PARSE(&t, &error, "--strid", "0"), STATUS_USAGE);
    assert_int_equal(PARSE(&t, &error, "--nonsense"), STATUS_USAGE);
    assert_non_null(strstr(error.text, "--nonsense"));
    assert_int_equal(PARSE(&t, &error, "-z"), STATUS_USAGE);
    assert_non_null(strstr(error.text, "-z"));
    assert_int_equal(PARSE(&t, &error, "--csv"), STATUS_USAGE);
    assert_non_null(strstr(error.text, "missing"));
    assert_int_equal(PARSE(&t, &error, "--quiet=yes"), STATUS_USAGE);
    assert_int_equal(PARSE(&t, &error, "stray"), STATUS_USAGE);
    assert_int_equal(PARSE(&t, &error, "--cache", "col"), STATUS_USAGE);
    assert_int_equal(PARSE(&t, &error, "--cache", ""), STATUS_USAGE);
    assert_int_equal(PARSE(&t, &error, "--noise", "nan"), STATUS_USAGE);
    assert_int_equal(PARSE(&t, &error, "--noise", "101"), STATUS_USAGE);
    assert_int_equal(PARSE(&t, &error, "--noise", "1x"), STATUS_USAGE);
    assert_int_equal(PARSE(&t, &error, "--samples", "0"), STATUS_USAGE);
}

static enum status parse_files(struct error *error, const char *graph, const char *csv, const char *output) {
    const char *files[4] = {0};
    const char *argv[] = {"apsp", "--graph", graph, "--csv", csv, "--output", output, NULL};
    const struct option_row rows[] = {
        {"graph", 0, OPTION_INPUT, 0 * sizeof *files, "FILE", "", 0, 0, 0},
        {"other", 0, OPTION_INPUT, 1 * sizeof *files, "FILE", "", 0, 0, 0},
        {"csv", 0, OPTION_OUTPUT, 2 * sizeof *files, "FILE", "", 0, 0, "-"},
        {"output", 0, OPTION_OUTPUT, 3 * sizeof *files, "FILE", "", 0, 0, 0},
    };
    *error = (struct error){0};
    const struct option_table table = {rows, sizeof rows / sizeof *rows, files};
    return options_parse(&table, 1, 7, (char **)(uintptr_t)argv, error);
}

static void test_option_files(void **state) {
    (void)state;
    char folder[] = "/tmp/bankshot-test-XXXXXX";
    struct error error;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(symlink("new", "dangling"), 0);
    assert_int_equal(symlink(folder, "folder"), 0);
    fclose(fopen("there", "w"));
    assert_int_equal(link("there", "hard"), 0);
    assert_int_equal(symlink("hard", "soft"), 0);
    static const char *const same[][3] = {
        {"in", "new", "new"},          {"in", "new", "./new"},           {"in", "new", "folder/new"},
        {"in", "new", "dangling"},     {"in", "folder/new", "dangling"}, {"in", "there", "soft"},
        {"there", "new", "hard"},      {"soft", "folder/there", "new"},  {"in", "new", "dangling"},
        {"in", "new", "folder/./new"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(parse_files(&error, same[i][0], same[i][1], same[i][2]), STATUS_USAGE);
        assert_non_null(strstr(error.text, "is the same file: "));
    }
    assert_int_equal(parse_files(&error, "there", "new", "other"), STATUS_OK);
    assert_int_equal(parse_files(&error, "there", "/dev/null", "/dev/null"), STATUS_OK);
    assert_int_equal(parse_files(&error, "there", "-", "new"), STATUS_OK);
    assert_int_equal(parse_files(&error, "there", "new", "-"), STATUS_USAGE);
    assert_non_null(strstr(error.text, "--output -: a stream cannot be used here"));
    assert_int_equal(chdir("/"), 0);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dimensions),      cmocka_unit_test(test_sweep_values),
        cmocka_unit_test(test_sweep_refusals),  cmocka_unit_test(test_sweep_too_long),
        cmocka_unit_test(test_what_is_wanted),  cmocka_unit_test(test_options),
        cmocka_unit_test(test_option_refusals), cmocka_unit_test(test_option_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
