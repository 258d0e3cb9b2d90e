// compare: the CSV reader, Student's t, joining, and how often verdicts are right on rows whose truth is known.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/judge.h"
#include "compare/row_table.h"
#include "compare/spread.h"
#include "compare/student.h"
#include "tests/unit/assertions.h"
#include "util/random.h"
#include "util/statistics.h"

// ---- CSV ----

// Reads all records of the text. Returns the number of fields, or -1 with a message.
static int read_text(const char *text, size_t length, char *fields, size_t size, struct error *error) {
    struct csv_reader reader;
    bool found = true;
    int count = 0;
    csv_reader_from(&reader, fmemopen((void *)(uintptr_t)text, length, "r"), "text.csv");
    fields[0] = '\0';
    while (csv_reader_next(&reader, &found, error) == STATUS_OK && found) {
        for (size_t i = 0; i < reader.count; i++, count++) {
            const size_t used = strlen(fields);
            snprintf(fields + used, size - used, "%s[%s]", i ? "" : "|", csv_reader_field(&reader, i));
        }
    }
    csv_reader_close(&reader);
    return error->text[0] ? -1 : count;
}

static void test_csv_fields(void **state) {
    static const struct {
        const char *text, *fields;
    } cases[] = {
        {"a,b\n1,2\n", "|[a][b]|[1][2]"},
        {"a,b\r\n1,2\r\n", "|[a][b]|[1][2]"},
        {"\"a,\"\"b\"\"\",\"\"\n", "|[a,\"b\"][]"},
        {"\"two\nlines\",x\n", "|[two\nlines][x]"},
        {",,\n", "|[][][]"},
        {"\n", "|[]"},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        char fields[256];
        assert_true(read_text(cases[i].text, strlen(cases[i].text), fields, sizeof fields, &error) >= 0);
        assert_string_equal(fields, cases[i].fields);
    }
}

static void test_csv_refused(void **state) {
    static const struct {
        const char *text;
        size_t length;
        const char *message;
    } cases[] = {
        {"a,b\n1,2", 7, "text.csv:2: the line is torn"},
        {"a,\"b\n1,2\n", 9, "a quote is opened and not closed"},
        {"a\n\"b\"c\n", 7, "text.csv:2: text follows"},
        {"a,b\"c\n", 6, "within a field"},
        {"a,b\0c\n", 6, "a zero byte"},
        {"a\rb\n", 4, "the line is torn"},
        {"\"a\n\n\n\"x\n", 8, "text.csv:1: text follows"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        char fields[256];
        assert_int_equal(read_text(cases[i].text, cases[i].length, fields, sizeof fields, &error), -1);
        assert_contains(error.text, cases[i].message);
        assert_null(strchr(error.text, '\n'));
    }
}

static void test_csv_endless_line(void **state) {
    const size_t length = 3 << 20;
    char *text = malloc(length), fields[16];
    struct error error = {0};
    (void)state;
    assert_non_null(text);
    memset(text, 'x', length);
    assert_int_equal(read_text(text, length, fields, sizeof fields, &error), -1);
    assert_contains(error.text, "too long");
    free(text);
}

// ---- Student's t ----

static void test_student(void **state) {
    static const struct {
        double probability, freedom, t;
    } cases[] = {
        // of the tables
        {0.025, 10, 2.228139}, {0.005, 2, 9.924843},   {0.0005, 1, 636.6192},
        {0.05, 30, 1.697261},  {0.025, 1e6, 1.959966},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double t = student_quantile(cases[i].probability, cases[i].freedom);
        assert_true(fabs(t / cases[i].t - 1) < 1e-6);
        assert_true(fabs(student_tail(t, cases[i].freedom) / cases[i].probability - 1) < 1e-9);
    }
    assert_true(fabs(student_tail(0, 5) - 0.5) < 1e-12);
    assert_true(student_quantile(1e-7, 9) > student_quantile(1e-7, 90));
}

// ---- Verdicts on rows whose truth is known ----

enum {
    ROWS = 400,
    SAMPLES = 20,
    RUNS_MAX = 5
};

struct truth {
    double noise;     // deviation of a sample, relative
    double drift;     // of the runs' means
    double odd_drift; // the same of every second row, if it is not 0
    double slowdown;  // of side B
    size_t runs;      // of each side
    double threshold;
    bool on_cpu;
    size_t kept; // rows that side B does not slow down
};

struct set {
    struct result rows[ROWS * RUNS_MAX];
    const struct result *pointers[ROWS * RUNS_MAX];
    char runs[ROWS][32];
};

struct random {
    uint64_t position;
};

static double random_unit(struct random *random) { // at least 0, less than 1
    return (double)(mix64(random->position += UINT64_C(0x9e3779b97f4a7c15)) >> 11) * 0x1p-53;
}

static double normal(struct random *random) {
    const double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(2 * 3.14159265358979 * random_unit(random));
}

// A row as a probe would write it, from samples of this mean.
static struct result make_row(struct random *random, double mean_ns, double noise, const char *run) {
    double samples[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i] = mean_ns * (1 + noise * normal(random));
    }
    const struct statistics statistics = statistics_of(samples, SAMPLES);
    struct result row = {
        .probe = "gmem", .variant = "read", .run = run, .sizes_at = strlen(run), .device = "h200", .samples = SAMPLES};
    for (size_t i = 0; i < FIGURES; i++) {
        row.figures[i] = NAN;
    }
    row.figures[FIGURE_TIME] = statistics.median;
    row.figures[FIGURE_BANDWIDTH] = 1e9 / statistics.median;
    result_set_spread(&row, statistics.noise,
                      (statistics.upper_quartile - statistics.lower_quartile) / statistics.median);
    row.fastest = statistics.median / statistics.min;
    row.clock_mhz = 1980;
    return row;
}

static void make_set(struct set *set, struct random *random, const struct truth *truth, double slowdown) {
    for (size_t run = 0; run < truth->runs; run++) {
        for (size_t i = 0; i < ROWS; i++) {
            const size_t at = run * ROWS + i;
            const double slower = i < truth->kept ? 0 : slowdown;
            const double drift = truth->odd_drift > 0 && i % 2 ? truth->odd_drift : truth->drift;
            const double mean = 1e6 * (1 + slower) * exp(drift * normal(random));
            snprintf(set->runs[i], sizeof set->runs[i], "stride=%zu", i);
            set->rows[at] = make_row(random, mean, truth->noise, set->runs[i]);
            set->rows[at].on_cpu = truth->on_cpu;
            set->rows[at].reason = truth->noise > 0.05 && truth->on_cpu ? REASON_NOISY : REASON_NONE;
            set->pointers[at] = &set->rows[at];
        }
    }
}

static void count_outcomes(const struct truth *truth, uint64_t seed, size_t outcomes[OUTCOMES]) {
    static struct set a, b;
    struct random random = {seed};
    struct side side_a, side_b;
    struct joined joined;
    struct judgement judgement;
    struct error error = {0};
    make_set(&a, &random, truth, 0);
    make_set(&b, &random, truth, truth->slowdown);
    assert_ok(side_make(&side_a, a.pointers, ROWS * truth->runs, SAME_ALL, &error), &error);
    assert_ok(side_make(&side_b, b.pointers, ROWS * truth->runs, SAME_ALL, &error), &error);
    assert_ok(join(&joined, &side_a, &side_b, false, &error), &error);
    assert_int_equal(joined.count, ROWS);
    assert_ok(judge(&judgement, &joined, truth->threshold, NAN, &error), &error);
    for (size_t i = 0; i < OUTCOMES; i++) {
        outcomes[i] += judgement.outcomes[i];
    }
    judgement_clear(&judgement);
    joined_clear(&joined);
    side_clear(&side_a);
    side_clear(&side_b);
}

static void count_many(const struct truth *truth, size_t times, size_t outcomes[OUTCOMES]) {
    memset(outcomes, 0, OUTCOMES * sizeof *outcomes);
    for (size_t i = 0; i < times; i++) {
        count_outcomes(truth, 1000 * i + 1, outcomes);
    }
}

// Without a threshold the samples alone limit the rate: 1 % of the comparisons may have a false alarm, so a few at most
// of 60 with 400 rows each. With the usual threshold the drift between two days of an H200 raises none.
static void test_false_alarms(void **state) {
    size_t outcomes[OUTCOMES];
    (void)state;
    count_many(&(struct truth){.noise = 0.01, .runs = 1}, 60, outcomes);
    assert_true(outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SLOWER] <= 4);
    count_many(&(struct truth){.noise = 0.002, .drift = 0.002, .runs = 1, .threshold = 0.01}, 60, outcomes);
    assert_true(outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SLOWER] <= 2);
    assert_true(outcomes[OUTCOME_SAME] > 60 * ROWS / 2);
}

static void test_planted_slowdown(void **state) {
    size_t outcomes[OUTCOMES];
    (void)state;
    count_many(&(struct truth){.noise = 0.003, .drift = 0.002, .slowdown = 0.03, .runs = 1, .threshold = 0.01}, 20,
               outcomes);
    assert_true(100 * outcomes[OUTCOME_SLOWER] >= 95 * 20 * ROWS);
    assert_int_equal(outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SAME], 0);
    count_many(&(struct truth){.noise = 0.003, .drift = 0.002, .slowdown = -0.03, .runs = 1, .threshold = 0.01}, 20,
               outcomes);
    assert_true(100 * outcomes[OUTCOME_FASTER] >= 95 * 20 * ROWS);
}

// A change below the threshold is no difference; a larger one that the samples hide leaves the verdict open.
static void test_threshold(void **state) {
    size_t outcomes[OUTCOMES];
    (void)state;
    count_many(&(struct truth){.noise = 0.002, .slowdown = 0.008, .runs = 1, .threshold = 0.01}, 5, outcomes);
    assert_int_equal(outcomes[OUTCOME_SLOWER] + outcomes[OUTCOME_FASTER], 0);
    count_many(&(struct truth){.noise = 0.1, .slowdown = 0.03, .runs = 1, .threshold = 0.01}, 5, outcomes);
    assert_true(100 * outcomes[OUTCOME_UNSURE] >= 99 * 5 * ROWS);
}

// Several runs of a side show the drift between them, so no threshold is needed. With single runs the same drift would
// be taken for a difference.
static void test_repeated_runs(void **state) {
    size_t outcomes[OUTCOMES];
    (void)state;
    count_many(&(struct truth){.noise = 0.001, .drift = 0.01, .runs = 1}, 10, outcomes);
    assert_true(outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SLOWER] > 10 * ROWS / 2);
    count_many(&(struct truth){.noise = 0.001, .drift = 0.01, .runs = 5}, 60, outcomes);
    assert_true(outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SLOWER] <= 4);
    count_many(&(struct truth){.noise = 0.001, .drift = 0.01, .slowdown = 0.05, .runs = 5}, 5, outcomes);
    assert_true(100 * outcomes[OUTCOME_SLOWER] >= 95 * 5 * ROWS);
}

// Two runs of a side tell little of a row's own spread, but all rows together bound it.
static void test_two_runs(void **state) {
    size_t outcomes[OUTCOMES];
    (void)state;
    count_many(&(struct truth){.noise = 0.001, .drift = 0.001, .odd_drift = 0.02, .runs = 2}, 60, outcomes);
    assert_true(outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SLOWER] <= 4);
    count_many(&(struct truth){.noise = 0.001, .drift = 0.001, .odd_drift = 0.02, .slowdown = 0.5, .runs = 2}, 5,
               outcomes);
    assert_true(100 * outcomes[OUTCOME_SLOWER] >= 95 * 5 * ROWS);
}

// Some rows drift by a hundred times more than others. Neither does their spread raise alarms, nor does it hide what
// the others show.
static void test_rows_of_unlike_spread(void **state) {
    size_t outcomes[OUTCOMES];
    (void)state;
    count_many(&(struct truth){.noise = 0.0005, .drift = 0.001, .odd_drift = 0.1, .runs = 5}, 60, outcomes);
    assert_true(outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SLOWER] <= 4);
    count_many(&(struct truth){.noise = 0.0005, .drift = 0.001, .odd_drift = 0.1, .slowdown = 0.05, .runs = 5}, 5,
               outcomes);
    assert_true(100 * outcomes[OUTCOME_SLOWER] >= 90 * 5 * ROWS / 2);
}

static void test_spread(void **state) {
    struct spread rows[100];
    (void)state;
    assert_true(fabs(digamma(1) + 0.57721566490) < 1e-8 && fabs(digamma(2.5) - 0.70315664064) < 1e-8);
    assert_true(fabs(trigamma(1) - 1.64493406685) < 1e-7 && fabs(trigamma(5) - 0.22132295573) < 1e-8);
    for (size_t i = 0; i < 100; i++) {
        rows[i] = (struct spread){4, 8};
    }
    const struct spread alike = spread_in_common(rows, 100);
    assert_true(isinf(alike.freedom) && alike.variance > 4 && alike.variance < 5);
    for (size_t i = 0; i < 100; i += 2) {
        rows[i].variance = 4e-4;
    }
    const struct spread unlike = spread_in_common(rows, 100);
    assert_true(unlike.freedom > 0 && unlike.freedom < 2);
    const struct spread row = spread_moderate(unlike, rows[0]);
    assert_true(row.freedom > 8 && row.variance < 0.05);
    assert_true(spread_in_common(rows, 5).freedom <= 0 && spread_moderate((struct spread){0, 0}, rows[1]).freedom >= 8);
}

// Samples of a busy CPU are noisy, but the fastest of each run tells enough if the runs are repeated.
static void test_fastest_samples(void **state) {
    size_t outcomes[OUTCOMES];
    (void)state;
    count_many(&(struct truth){.noise = 0.1, .drift = 0.01, .runs = 5, .threshold = 0.01, .on_cpu = true}, 20,
               outcomes);
    assert_true(outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SLOWER] <= 2);
    count_many(
        &(struct truth){.noise = 0.1, .drift = 0.01, .slowdown = 0.5, .runs = 5, .threshold = 0.01, .on_cpu = true}, 5,
        outcomes);
    assert_true(100 * outcomes[OUTCOME_SLOWER] >= 95 * 5 * ROWS);
    count_many(&(struct truth){.noise = 0.1, .slowdown = 0.5, .runs = 2, .threshold = 0.01, .on_cpu = true}, 1,
               outcomes);
    assert_int_equal(outcomes[OUTCOME_UNSURE], ROWS);
}

// Single runs of a CPU drift by far more than their samples show. Rows that stand out are found all the same, and
// repeated runs decide by their spread.
static void test_runs_of_a_cpu(void **state) {
    size_t outcomes[OUTCOMES];
    (void)state;
    count_many(&(struct truth){.noise = 0.005, .drift = 0.1, .runs = 1, .threshold = 0.01, .on_cpu = true}, 20,
               outcomes);
    assert_true(outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SLOWER] <= 4);
    count_many(&(struct truth){.noise = 0.001,
                               .drift = 0.001,
                               .slowdown = 0.03,
                               .runs = 1,
                               .threshold = 0.01,
                               .on_cpu = true,
                               .kept = ROWS - ROWS / 20},
               20, outcomes);
    assert_true(100 * outcomes[OUTCOME_SLOWER] >= 95 * 20 * (ROWS / 20));
    assert_int_equal(outcomes[OUTCOME_FASTER], 0);
    count_many(
        &(struct truth){.noise = 0.001, .drift = 0.005, .slowdown = 0.05, .runs = 5, .threshold = 0.01, .on_cpu = true},
        5, outcomes);
    assert_true(100 * outcomes[OUTCOME_SLOWER] >= 95 * 5 * ROWS);
}

// ---- What keeps a row from a verdict ----

static struct comparison compare_judged(struct result a, struct result b, bool across, double cpu_threshold) {
    const struct result *pointer_a = &a, *pointer_b = &b;
    struct side side_a, side_b;
    struct joined joined;
    struct judgement judgement;
    struct error error = {0};
    assert_ok(side_make(&side_a, &pointer_a, 1, SAME_ALL, &error), &error);
    assert_ok(side_make(&side_b, &pointer_b, 1, SAME_ALL, &error), &error);
    assert_ok(join(&joined, &side_a, &side_b, across, &error), &error);
    assert_ok(judge(&judgement, &joined, 0.01, cpu_threshold, &error), &error);
    const struct comparison found = joined.count ? judgement.comparisons[0] : (struct comparison){.outcome = OUTCOMES};
    judgement_clear(&judgement);
    joined_clear(&joined);
    side_clear(&side_a);
    side_clear(&side_b);
    return found;
}

static struct comparison compare_rows(struct result a, struct result b, bool across) {
    return compare_judged(a, b, across, 0.1);
}

static struct result quiet_row(double mean_ns) {
    struct random random = {7};
    return make_row(&random, mean_ns, 0.001, "stride=1");
}

static void test_reasons(void **state) {
    const struct result a = quiet_row(1e6);
    struct result b = quiet_row(1.1e6);
    (void)state;
    assert_int_equal(compare_rows(a, b, false).outcome, OUTCOME_SLOWER);
    assert_int_equal(compare_rows(b, a, false).outcome, OUTCOME_FASTER);
    b.clock_mhz = 1755;
    assert_int_equal(compare_rows(a, b, false).reason, REASON_CLOCK);
    b = quiet_row(1.05e6);
    b.on_cpu = true;
    assert_int_equal(compare_rows(a, b, false).outcome, OUTCOME_SAME);      // within the threshold for a CPU
    assert_int_equal(compare_judged(a, b, false, NAN).reason, REASON_RUNS); // too few rows to tell
    b = quiet_row(1.1e6);
    b.reason = REASON_THROTTLED;
    assert_int_equal(compare_rows(a, b, false).outcome, OUTCOME_UNSURE);
    assert_int_equal(compare_rows(b, a, false).reason, REASON_THROTTLED);
    assert_int_equal(compare_rows(b, b, false).outcome, OUTCOME_SAME); // a run compared with itself
    b.figures[FIGURE_TIME] = b.figures[FIGURE_BANDWIDTH] = NAN;
    b.figures[FIGURE_UPDATES] = 1;
    assert_int_equal(compare_rows(a, b, false).reason, REASON_FIGURE);
}

// A part joins its simulation, whose time is exact, and another part only if asked for.
static void test_joining(void **state) {
    const struct result a = quiet_row(1e6);
    struct result b = quiet_row(1.05e6);
    (void)state;
    b.source = SOURCE_PREDICTED;
    b.error = 0;
    b.freedom = INFINITY;
    assert_int_equal(compare_rows(a, b, false).outcome, OUTCOME_SLOWER);
    b.device = "mi210";
    assert_int_equal(compare_rows(a, b, false).outcome, OUTCOMES);
    assert_int_equal(compare_rows(a, b, true).reason, REASON_ORIGIN); // a prediction of another part
    b.figures[FIGURE_BANDWIDTH] *= 0.6;
    assert_int_equal(compare_rows(a, b, true).outcome, OUTCOME_SLOWER);
    b.run = "stride=1 elements=2";
    b.sizes_at = strlen(b.run); // no column of sizes, so something else differs
    assert_int_equal(compare_rows(a, b, true).outcome, OUTCOMES);
    b.sizes_at = strlen("stride=1");
    assert_int_equal(compare_rows(a, b, true).outcome, OUTCOME_SLOWER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv_fields),       cmocka_unit_test(test_csv_refused),
        cmocka_unit_test(test_csv_endless_line), cmocka_unit_test(test_student),
        cmocka_unit_test(test_false_alarms),     cmocka_unit_test(test_planted_slowdown),
        cmocka_unit_test(test_threshold),        cmocka_unit_test(test_repeated_runs),
        cmocka_unit_test(test_runs_of_a_cpu),    cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_joining),          cmocka_unit_test(test_rows_of_unlike_spread),
        cmocka_unit_test(test_spread),           cmocka_unit_test(test_two_runs),
        cmocka_unit_test(test_fastest_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
