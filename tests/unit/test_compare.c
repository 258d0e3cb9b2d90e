// compare: the CSV reader, Student's t, joining, and how often verdicts are right on rows whose truth is known.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/assertions.h"
#include "tools/compare/judge.h"
#include "tools/compare/side.h"
#include "tools/compare/spread.h"
#include "util/csv.h"
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
        {"a,b\n\"1\n,2", 9, "a quote is opened and not closed"},
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
    SAMPLES_MAX = 50,
    RUNS_MAX = 5
};

// How the samples of a run come about.
enum series {
    SERIES_NORMAL,
    SERIES_HEAVY,    // Student's t of 2 degrees of freedom, which has no variance
    SERIES_AR,       // each resembles the one before, AR(1) 0.97
    SERIES_DRIFT,    // up or down by 3 % within the run
    SERIES_MODES,    // two, 6 % apart: each sample falls into either
    SERIES_STICKY,   // the same, and stays in it for ten samples on average
    SERIES_RUN_MODES // the same, and stays in it for the whole run
};

struct truth {
    enum series series;
    size_t samples, rows; // 0: SAMPLES, ROWS
    double noise;         // deviation of a sample, relative
    double drift;         // of the runs' means
    double odd_drift;     // the same of every second row, if it is not 0
    double slowdown;      // of side B
    size_t runs;          // of each side
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

static void take_samples(double *samples, size_t count, enum series series, struct random *random, double mean_ns,
                         double noise) {
    static const double CORRELATION = 0.97, DRIFT = 0.03, APART = 0.06;
    const double direction = random_unit(random) < 0.5 ? -1 : 1;
    double before = normal(random);
    bool up = random_unit(random) < 0.5;
    for (size_t i = 0; i < count; i++) {
        double error = normal(random);
        if (series == SERIES_HEAVY) {
            error /= sqrt(-log(1 - random_unit(random)));
        } else if (series == SERIES_AR) {
            error = before = CORRELATION * before + sqrt(1 - CORRELATION * CORRELATION) * error;
        }
        double mean = mean_ns;
        if (series == SERIES_DRIFT) {
            mean *= 1 + direction * DRIFT * ((double)i / (double)(count - 1) - 0.5);
        } else if (series >= SERIES_MODES) {
            const double leaves = series == SERIES_MODES ? 0.5 : series == SERIES_STICKY ? 0.1 : 0;
            up = random_unit(random) < leaves ? !up : up;
            mean *= 1 + (up ? APART : 0);
        }
        samples[i] = fmax(0.01 * mean, mean * (1 + noise * error));
    }
}

// A row as a probe would write it, from samples of this mean.
static struct result make_row(struct random *random, double mean_ns, const struct truth *truth, const char *run) {
    double samples[SAMPLES_MAX];
    const size_t count = truth->samples ? truth->samples : SAMPLES;
    take_samples(samples, count, truth->series, random, mean_ns, truth->noise);
    const struct statistics statistics = statistics_of(samples, count);
    struct result row = {
        .probe = "gmem", .variant = "read", .run = run, .sizes_at = strlen(run), .device = "h200", .alike = 1};
    for (size_t i = 0; i < FIGURES; i++) {
        row.figures[i] = NAN;
    }
    row.figures[FIGURE_TIME] = statistics.median;
    row.figures[FIGURE_BANDWIDTH] = 1e9 / statistics.median;
    result_set_samples(&row, &(struct samples){.taken = (double)count,
                                               .shortest = statistics.min,
                                               .lower = statistics.lower_quartile,
                                               .upper = statistics.upper_quartile,
                                               .noise_pct = 100 * statistics.noise,
                                               .waited_pct = NAN,
                                               .effective = statistics.effective,
                                               .low = statistics.interval.low,
                                               .high = statistics.interval.high,
                                               .modes_pct = 100 * statistics.modes,
                                               .drift_pct = 100 * statistics.drift});
    row.clock_mhz = 1980;
    return row;
}

static size_t rows_of(const struct truth *truth) {
    return truth->rows ? truth->rows : ROWS;
}

static void make_set(struct set *set, struct random *random, const struct truth *truth, double slowdown) {
    for (size_t run = 0; run < truth->runs; run++) {
        for (size_t i = 0; i < rows_of(truth); i++) {
            const size_t at = run * rows_of(truth) + i;
            const double slower = i < truth->kept ? 0 : slowdown;
            const double drift = truth->odd_drift > 0 && i % 2 ? truth->odd_drift : truth->drift;
            const double mean = 1e6 * (1 + slower) * exp(drift * normal(random));
            snprintf(set->runs[i], sizeof set->runs[i], "stride=%zu", i);
            set->rows[at] = make_row(random, mean, truth, set->runs[i]);
            set->rows[at].on_cpu = truth->on_cpu;
            set->pointers[at] = &set->rows[at];
        }
    }
}

static size_t alarms, reasons[REASONS]; // comparisons that call any row different, and rows by reason
static double moved_alike;              // of the latest comparison

static void count_outcomes(const struct truth *truth, uint64_t seed, size_t outcomes[OUTCOMES]) {
    static struct set a, b;
    struct random random = {seed};
    struct joined joined;
    struct error error = {0};
    make_set(&a, &random, truth, 0);
    make_set(&b, &random, truth, truth->slowdown);
    struct side side_a = side_make(a.pointers, rows_of(truth) * truth->runs, SAME_ALL);
    struct side side_b = side_make(b.pointers, rows_of(truth) * truth->runs, SAME_ALL);
    assert_ok(join(&joined, &side_a, &side_b, false, &error), &error);
    assert_int_equal(joined.count, rows_of(truth));
    struct judgement judgement = judge(&joined, truth->threshold, NAN);
    for (size_t i = 0; i < OUTCOMES; i++) {
        outcomes[i] += judgement.outcomes[i];
    }
    for (size_t i = 0; i < judgement.count; i++) {
        reasons[judgement.comparisons[i].reason]++;
    }
    moved_alike = judgement.moved_alike;
    alarms += judgement.outcomes[OUTCOME_FASTER] + judgement.outcomes[OUTCOME_SLOWER] > 0;
    judgement_clear(&judgement);
    joined_clear(&joined);
    side_clear(&side_a);
    side_clear(&side_b);
}

static void count_many(const struct truth *truth, size_t times, size_t outcomes[OUTCOMES]) {
    memset(outcomes, 0, OUTCOMES * sizeof *outcomes);
    memset(reasons, 0, sizeof reasons);
    alarms = 0;
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

// Several runs of a side show the drift between them, so no threshold is needed. Of single runs all rows together show
// it.
static void test_repeated_runs(void **state) {
    size_t outcomes[OUTCOMES];
    (void)state;
    count_many(&(struct truth){.noise = 0.001, .drift = 0.01, .runs = 1}, 10, outcomes);
    assert_true(outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SLOWER] <= 4);
    assert_true(reasons[REASON_RUNS] > 10 * ROWS / 2);
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
    assert_true(100 * outcomes[OUTCOME_SLOWER] >= 95 * ROWS);
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
    struct side side_a = side_make(&pointer_a, 1, SAME_ALL), side_b = side_make(&pointer_b, 1, SAME_ALL);
    struct joined joined;
    struct error error = {0};
    assert_ok(join(&joined, &side_a, &side_b, across, &error), &error);
    struct judgement judgement = judge(&joined, 0.01, cpu_threshold);
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
    return make_row(&random, mean_ns, &(struct truth){.noise = 0.001}, "stride=1");
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
    b.variance = 0;
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

static struct result prediction(const char *part, double speed, double expected_error) {
    struct result row = quiet_row(1e6);
    row.source = SOURCE_PREDICTED;
    row.variance = 0;
    row.freedom = INFINITY;
    row.device = part;
    row.expected_error = expected_error;
    row.figures[FIGURE_BANDWIDTH] *= speed;
    return row;
}

// Predictions of two parts differ only beyond the errors of both, and those of one part as soon as the model does.
static void test_predictions(void **state) {
    const struct result a = prediction("h200", 1, 0.1);
    (void)state;
    assert_int_equal(compare_rows(a, prediction("h200", 0.97, 0.1), false).outcome, OUTCOME_SLOWER);
    assert_int_equal(compare_rows(a, prediction("mi210", 0.85, 0.1), true).reason, REASON_PREDICTION);
    assert_int_equal(compare_rows(a, prediction("mi210", 1.2, 0.1), true).reason, REASON_PREDICTION);
    assert_int_equal(compare_rows(a, prediction("mi210", 1.001, 0.1), true).reason, REASON_PREDICTION);
    assert_int_equal(compare_rows(a, prediction("mi210", 0.8, 0.1), true).outcome, OUTCOME_SLOWER);
    assert_int_equal(compare_rows(a, prediction("mi210", 1.22, 0.1), true).outcome, OUTCOME_FASTER);
    assert_int_equal(compare_rows(a, prediction("mi210", 1.5, NAN), true).reason, REASON_PREDICTION);
    assert_int_equal(compare_rows(a, prediction("mi210", 1.6, NAN), true).outcome, OUTCOME_FASTER);
}

// ---- What the samples of a run do not show ----

// Of equal pairs at most 1 % of the rows are called different, however the samples come about, for single runs and for
// folders of several.
static void test_equal_pairs(void **state) {
    enum {
        SHIFTING_RUNS = SERIES_RUN_MODES + 1, // normal samples around a mean that differs from run to run by 2 %
        TESTED = 1200,                        // rows of each case
#ifdef __SANITIZE_ADDRESS__
        STEP = 5 // cases of each kind run the same lines as all
#else
        STEP = 1
#endif
    };
    static const char *const names[] = {"normal", "heavy tail", "AR(1)",     "drift",
                                        "modes",  "sticky",     "run modes", "shifting runs"};
    static const size_t samples[] = {3, 10, 50}, runs[] = {1, 3, 5}, rows[] = {1, 20, 100};
    size_t outcomes[OUTCOMES];
    (void)state;
    for (size_t i = 0; i < 8 * 3 * 3 * 3; i += STEP) {
        const size_t series = i / 27, row_count = rows[i % 3];
        const struct truth truth = {.series = series < SHIFTING_RUNS ? (enum series)series : SERIES_NORMAL,
                                    .samples = samples[i / 3 % 3],
                                    .runs = runs[i / 9 % 3],
                                    .rows = row_count,
                                    .noise = 0.005,
                                    .drift = series == SHIFTING_RUNS ? 0.02 : 0,
                                    .threshold = 0.01};
        count_many(&truth, TESTED / row_count, outcomes);
        const size_t called = outcomes[OUTCOME_FASTER] + outcomes[OUTCOME_SLOWER];
        if (100 * called > TESTED) {
            fail_msg("%s, %zu samples, %zu runs of %zu rows: %zu of %d rows are called different", names[series],
                     truth.samples, truth.runs, row_count, called, TESTED);
        }
    }
}

// A row that could be decided, if its samples told what they seem to, says why it is not.
static void test_reasons_of_samples(void **state) {
    struct truth truth = {.samples = 50, .rows = 100, .noise = 0.003, .runs = 1, .threshold = 0.01};
    size_t outcomes[OUTCOMES];
    (void)state;
    truth.series = SERIES_DRIFT;
    count_many(&truth, 5, outcomes);
    assert_true(outcomes[OUTCOME_UNSURE] >= 5 * 98 && reasons[REASON_DRIFT] >= 5 * 90);
    truth.series = SERIES_MODES;
    count_many(&truth, 5, outcomes);
    assert_true(outcomes[OUTCOME_UNSURE] >= 5 * 98 && reasons[REASON_MODES] >= 5 * 50);
    truth.series = SERIES_AR;
    truth.noise = 0.02;
    count_many(&truth, 5, outcomes);
    assert_true(outcomes[OUTCOME_UNSURE] >= 5 * 90 && reasons[REASON_CORRELATED] + reasons[REASON_DRIFT] >= 5 * 80);
}

static size_t found(const struct truth *truth, size_t times) {
    size_t outcomes[OUTCOMES];
    count_many(truth, times, outcomes);
    assert_int_equal(outcomes[OUTCOME_FASTER], 0);
    return outcomes[OUTCOME_SLOWER];
}

// Few samples are enough for a large change, and so are ten for a small one.
static void test_power(void **state) {
    static const size_t rows[] = {20, 100, 400};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct truth truth = {
            .samples = 3, .rows = rows[i], .noise = 0.005, .slowdown = 0.1, .runs = 1, .threshold = 0.01};
        assert_true(100 * found(&truth, 10) >= 80 * 10 * rows[i]);
        truth.samples = 10;
        truth.slowdown = 0.03;
        assert_true(100 * found(&truth, 10) >= 95 * 10 * rows[i]);
        truth.kept = rows[i] * 9 / 10; // one variant of many
        assert_true(100 * found(&truth, 10) >= 95 * 10 * (rows[i] - truth.kept));
        truth.kept = 0;
        truth.runs = 3;
        assert_true(100 * found(&truth, 10) >= 95 * 10 * rows[i]);
    }
    assert_true(
        found(&(struct truth){.samples = 3, .rows = 1, .noise = 0.005, .slowdown = 0.1, .runs = 1, .threshold = 0.01},
              100) >= 80);
}

// All rows of single runs of a CPU that moved together are a slower CPU or a slower run.
static void test_common_move(void **state) {
    static const double factors[] = {1, 1.5, 2, 4, 0.5};
    size_t outcomes[OUTCOMES];
    (void)state;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        for (size_t rows = 1; rows <= 100; rows *= 10) {
            count_many(&(struct truth){.rows = rows,
                                       .noise = 0.01,
                                       .drift = 0.02,
                                       .slowdown = factors[i] - 1,
                                       .runs = 1,
                                       .threshold = 0.01,
                                       .on_cpu = true},
                       1, outcomes);
            assert_true(factors[i] > 1.1 || factors[i] < 0.9 ? fabs(moved_alike * factors[i] - 1) < 0.1
                                                             : fabs(moved_alike - 1) < 1e-9);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv_fields),
        cmocka_unit_test(test_csv_refused),
        cmocka_unit_test(test_csv_endless_line),
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_false_alarms),
        cmocka_unit_test(test_planted_slowdown),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_repeated_runs),
        cmocka_unit_test(test_runs_of_a_cpu),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_joining),
        cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_rows_of_unlike_spread),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_two_runs),
        cmocka_unit_test(test_fastest_samples),
        cmocka_unit_test(test_equal_pairs),
        cmocka_unit_test(test_reasons_of_samples),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_common_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
