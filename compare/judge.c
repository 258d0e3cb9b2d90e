#include "compare/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/scatter.h"
#include "compare/spread.h"
#include "compare/student.h"

enum {
    FREEDOM_MAX = 512 // beyond it a t is normal, to three digits
};
const double false_alarm_rate = 0.01;
const double origin_threshold = 0.4;

const char *outcome_name(enum outcome outcome) {
    static const char *const names[OUTCOMES] = {"same", "faster", "slower", "unsure"};
    return names[outcome];
}

enum {
    FASTEST_RUNS_MIN = 3,
    FREEDOM_MIN = 4 // of a row's spread between runs: three runs on each side
};

// A side's figure as the logarithm of a speed.
struct estimate {
    double log_speed;
    double variance; // of log_speed, from the samples within the runs, or from the spread between these
    double freedom;  // its degrees; infinite for a prediction, which is exact
    size_t runs;
    double clock_low, clock_high; // of the runs
    double squares;               // of the runs' differences from their mean
    bool by_runs;                 // the spread between the runs is the larger one
    enum reason reason;
};

// What is known of a pair before its verdict.
struct evidence {
    enum figure figure; // FIGURES: none is in both
    bool by_fastest;    // each run counts by its fastest sample
    struct estimate sides[2];
    struct spread between_runs;
};

struct judge {
    double threshold, cpu_threshold;  // of the logarithm
    bool cpu_scatters;                // cpu_threshold follows from the rows, and only a difference beyond it is sure
    struct spread between_runs;       // what all rows have in common
    struct spread largest;            // between the runs of any row
    double critical[FREEDOM_MAX + 1]; // quantiles of Student's t by degrees of freedom; 0: not computed yet
    size_t tested;
};

// A neighbour can only slow a sample down, so it takes little from a run's fastest one.
static enum reason distrust(const struct result *row, bool by_fastest) {
    const bool disturbed = row->reason == REASON_NOISY || row->reason == REASON_WAITED;
    return by_fastest && disturbed ? REASON_NONE : row->reason;
}

static double log_speed(const struct result *row, enum figure figure, bool by_fastest) {
    const double value = log(row->figures[figure]);
    return (figure_kinds[figure].less_is_faster ? -value : value) + (by_fastest ? log(row->fastest) : 0);
}

static bool is_usable(const struct result *row, const struct evidence *e, enum reason trusted) {
    return distrust(row, e->by_fastest) == trusted && !isnan(row->figures[e->figure]);
}

// Rows that cannot be trusted count only if a side has no other.
static enum reason best_reason(const struct repeats *group, enum figure figure, bool by_fastest) {
    enum reason best = REASONS;
    for (size_t i = 0; i < group->count; i++) {
        const enum reason reason = distrust(group->rows[i], by_fastest);
        if (!isnan(group->rows[i]->figures[figure]) && (best == REASONS || reason == REASON_NONE)) {
            best = reason;
        }
    }
    return best;
}

static struct estimate estimate(const struct repeats *group, const struct evidence *evidence) {
    struct estimate e = {
        .reason = best_reason(group, evidence->figure, evidence->by_fastest), .clock_low = NAN, .clock_high = NAN};
    for (size_t i = 0; i < group->count; i++) {
        const struct result *row = group->rows[i];
        if (is_usable(row, evidence, e.reason)) {
            e.log_speed += log_speed(row, evidence->figure, evidence->by_fastest);
            e.variance += evidence->by_fastest ? 0 : row->error * row->error;
            e.freedom += row->freedom;
            e.clock_low = fmin(e.clock_low, row->clock_mhz);
            e.clock_high = fmax(e.clock_high, row->clock_mhz);
            e.runs++;
        }
    }
    const double runs = (double)e.runs;
    e.log_speed /= runs;
    e.variance /= runs * runs;
    for (size_t i = 0; i < group->count; i++) {
        if (is_usable(group->rows[i], evidence, e.reason)) {
            const double difference = log_speed(group->rows[i], evidence->figure, evidence->by_fastest) - e.log_speed;
            e.squares += difference * difference;
        }
    }
    return e;
}

static bool has_figure(const struct repeats *group, enum figure figure) {
    return best_reason(group, figure, false) != REASONS;
}

static enum figure common_figure(const struct pair *pair) {
    enum figure figure = 0;
    while (figure < FIGURES && !(has_figure(pair->a, figure) && has_figure(pair->b, figure))) {
        figure++;
    }
    return figure;
}

static bool has_fastest(const struct repeats *group) {
    bool has = group->count >= FASTEST_RUNS_MIN;
    for (size_t i = 0; i < group->count && has; i++) {
        has = group->rows[i]->on_cpu && group->rows[i]->fastest >= 1;
    }
    return has;
}

static struct evidence gather(const struct pair *pair) {
    struct evidence e = {.figure = common_figure(pair), .by_fastest = has_fastest(pair->a) && has_fastest(pair->b)};
    if (e.figure < FIGURES) {
        e.sides[0] = estimate(pair->a, &e);
        e.sides[1] = estimate(pair->b, &e);
        const double freedom = (double)(e.sides[0].runs + e.sides[1].runs) - 2;
        if (e.sides[0].reason == REASON_NONE && e.sides[1].reason == REASON_NONE && freedom > 0) {
            e.between_runs = (struct spread){(e.sides[0].squares + e.sides[1].squares) / freedom, freedom};
        }
    }
    return e;
}

// Repeated runs show the differences between runs, which the samples of one run cannot show.
static void widen(struct estimate *e, struct spread between_runs) {
    const double variance = between_runs.variance / (double)e->runs;
    if (between_runs.freedom > 0 && isfinite(e->freedom) && variance > e->variance) {
        e->variance = variance;
        e->freedom = between_runs.freedom;
        e->by_runs = true;
    }
}

// Single runs of a CPU differ by more than their samples show.
static bool is_single_on_cpu(const struct comparison *c, const struct estimate sides[2]) {
    return (c->a->on_cpu || c->b->on_cpu) && (sides[0].runs < 2 || sides[1].runs < 2);
}

bool comparison_has_origins(const struct comparison *c) {
    const enum source a = c->a->source, b = c->b->source;
    return a == SOURCE_PUBLISHED || b == SOURCE_PUBLISHED || (a != b && strcmp(c->a->device, c->b->device) != 0);
}

static double threshold_of(const struct judge *judge, const struct comparison *c, const struct estimate sides[2]) {
    if (comparison_has_origins(c)) {
        return fmax(judge->threshold, log1p(origin_threshold));
    }
    return is_single_on_cpu(c, sides) ? judge->cpu_threshold : judge->threshold;
}

static bool same_device(const struct comparison *c) {
    return c->a->source == SOURCE_MEASURED && c->b->source == SOURCE_MEASURED &&
           strcmp(c->a->device, c->b->device) == 0;
}

static const struct result *representative(const struct repeats *group, const struct evidence *e, enum reason reason) {
    size_t i = 0;
    while (i + 1 < group->count && !is_usable(group->rows[i], e, reason)) {
        i++;
    }
    return group->rows[i];
}

// A different clock explains a different time of the same device without any change of software. Clocks of several runs
// differ if one side's are all above the other's.
static bool clocks_differ(const struct judge *judge, const struct comparison *c, const struct estimate sides[2]) {
    const double apart = fmax(sides[0].clock_low, sides[1].clock_low) / fmin(sides[0].clock_high, sides[1].clock_high);
    return same_device(c) && log(apart) > threshold_of(judge, c, sides);
}

static bool differ(double x, double y) {
    return x < y || x > y;
}

// The same row twice, such as a run compared with itself, needs no test.
static bool are_identical(const struct pair *pair, enum figure figure) {
    bool identical = pair->a->count == pair->b->count;
    for (size_t i = 0; i < pair->a->count && identical; i++) {
        const struct result *a = pair->a->rows[i], *b = pair->b->rows[i];
        identical =
            a->source == b->source && !differ(a->figures[figure], b->figures[figure]) && !differ(a->error, b->error);
    }
    return identical;
}

static double mean_figure(const struct estimate *side, const struct result *row, enum figure figure) {
    return side->runs == 1 ? row->figures[figure]
                           : exp(figure_kinds[figure].less_is_faster ? -side->log_speed : side->log_speed);
}

// Two runs or three say too little of a row's spread, so it counts as the most unsteady of all.
static struct spread spread_of(const struct judge *judge, const struct evidence *e) {
    return e->between_runs.freedom <= 0                    ? e->between_runs
           : e->between_runs.freedom < (double)FREEDOM_MIN ? judge->largest
                                                           : spread_moderate(judge->between_runs, e->between_runs);
}

// The figures of a pair, and the reasons why they may not decide.
static void prepare(struct judge *judge, const struct pair *pair, struct comparison *c, struct evidence *e) {
    struct estimate *sides = e->sides;
    *c = (struct comparison){.a = pair->a->rows[0],
                             .b = pair->b->rows[0],
                             .figure = e->figure,
                             .ratio = NAN,
                             .low = NAN,
                             .high = NAN,
                             .outcome = OUTCOME_UNSURE,
                             .reason = REASON_FIGURE};
    if (c->figure == FIGURES) {
        return;
    }
    widen(&sides[0], spread_of(judge, e));
    widen(&sides[1], spread_of(judge, e));
    c->a = representative(pair->a, e, sides[0].reason);
    c->b = representative(pair->b, e, sides[1].reason);
    c->value_a = mean_figure(&sides[0], c->a, c->figure);
    c->value_b = mean_figure(&sides[1], c->b, c->figure);
    c->ratio = exp(sides[1].log_speed - sides[0].log_speed);
    c->reason = sides[0].reason != REASON_NONE ? sides[0].reason : sides[1].reason;
    if (are_identical(pair, c->figure)) {
        c->outcome = OUTCOME_SAME;
        c->reason = REASON_NONE;
        c->low = c->high = 1;
    } else if (c->reason == REASON_NONE && clocks_differ(judge, c, sides)) {
        c->reason = REASON_CLOCK;
    }
    judge->tested += c->outcome == OUTCOME_UNSURE && c->reason == REASON_NONE;
}

// Welch's degrees of freedom of a difference.
static double welch(const struct estimate *a, const struct estimate *b) {
    if (a->by_runs && b->by_runs) {
        return a->freedom; // one and the same spread
    }
    const double sum = a->variance + b->variance;
    return sum * sum / (a->variance * a->variance / a->freedom + b->variance * b->variance / b->freedom);
}

static double critical_t(struct judge *judge, double freedom) {
    const size_t whole = freedom < (double)FREEDOM_MAX ? (size_t)fmax(1, freedom) : FREEDOM_MAX;
    if (judge->critical[whole] <= 0) {
        judge->critical[whole] = student_quantile(false_alarm_rate / 2 / (double)judge->tested,
                                                  (double)whole); // Bonferroni's share of a row
    }
    return judge->critical[whole];
}

static void decide(struct judge *judge, const struct estimate sides[2], struct comparison *c) {
    const double threshold = threshold_of(judge, c, sides);
    const bool of_origins = comparison_has_origins(c);
    const bool scatters = judge->cpu_scatters && !of_origins && is_single_on_cpu(c, sides);
    const double difference = sides[1].log_speed - sides[0].log_speed;
    const double error = sqrt(sides[0].variance + sides[1].variance);
    const double reach = error > 0 ? error * critical_t(judge, welch(&sides[0], &sides[1])) : 0;
    c->low = exp(difference - reach);
    c->high = exp(difference + reach);
    c->outcome = difference - reach > threshold                                          ? OUTCOME_FASTER
                 : difference + reach < -threshold                                       ? OUTCOME_SLOWER
                 : of_origins                                                            ? OUTCOME_UNSURE
                 : fabs(difference) + reach <= (scatters ? judge->threshold : threshold) ? OUTCOME_SAME
                                                                                         : OUTCOME_UNSURE;
    c->reason = c->outcome != OUTCOME_UNSURE                  ? REASON_NONE
                : of_origins && fabs(difference) <= threshold ? REASON_ORIGIN
                : scatters                                    ? REASON_RUNS
                                                              : REASON_SPREAD;
}

static bool is_undecided(const struct comparison *c) {
    return c->outcome == OUTCOME_UNSURE && c->reason == REASON_NONE;
}

// Finds out how far apart single runs of a CPU are, unless the caller has said it.
static enum status find_scatter(struct judge *judge, const struct judgement *judgement, const struct evidence *evidence,
                                struct error *error) {
    if (!judge->cpu_scatters) {
        return STATUS_OK;
    }
    double *differences = calloc(judgement->count + 1, sizeof *differences);
    if (!differences) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    size_t count = 0;
    for (size_t i = 0; i < judgement->count; i++) {
        const struct comparison *c = &judgement->comparisons[i];
        if (is_undecided(c) && is_single_on_cpu(c, evidence[i].sides)) {
            differences[count++] = fabs(log(c->ratio));
        }
    }
    judge->cpu_threshold = fmax(judge->threshold, scatter_limit(differences, count));
    free(differences);
    return STATUS_OK;
}

static enum status gather_all(struct judge *judge, struct evidence *evidence, const struct joined *joined,
                              struct error *error) {
    struct spread *rows = calloc(joined->count + 1, sizeof *rows);
    if (!rows) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    for (size_t i = 0; i < joined->count; i++) {
        evidence[i] = gather(&joined->pairs[i]);
        rows[i] = evidence[i].between_runs;
    }
    judge->between_runs = spread_in_common(rows, joined->count);
    judge->largest = spread_largest(rows, joined->count);
    free(rows);
    return STATUS_OK;
}

static enum status decide_all(struct judge *judge, struct judgement *judgement, struct evidence *evidence,
                              const struct joined *joined, struct error *error) {
    for (size_t i = 0; i < joined->count; i++) {
        prepare(judge, &joined->pairs[i], &judgement->comparisons[i], &evidence[i]);
    }
    const enum status status = find_scatter(judge, judgement, evidence, error);
    for (size_t i = 0; i < joined->count && status == STATUS_OK; i++) {
        struct comparison *c = &judgement->comparisons[i];
        if (is_undecided(c)) {
            decide(judge, evidence[i].sides, c);
        }
        judgement->outcomes[c->outcome]++;
    }
    return status;
}

enum status judge(struct judgement *judgement, const struct joined *joined, double threshold, double cpu_threshold,
                  struct error *error) {
    struct judge judge = {.threshold = log1p(threshold),
                          .cpu_threshold = isnan(cpu_threshold) ? INFINITY : log1p(fmax(threshold, cpu_threshold)),
                          .cpu_scatters = isnan(cpu_threshold)};
    struct evidence *evidence = calloc(joined->count + 1, sizeof *evidence);
    *judgement = (struct judgement){.comparisons = calloc(joined->count + 1, sizeof *judgement->comparisons),
                                    .count = joined->count};
    enum status status =
        evidence && judgement->comparisons ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
    if (status == STATUS_OK) {
        status = gather_all(&judge, evidence, joined, error);
    }
    if (status == STATUS_OK) {
        status = decide_all(&judge, judgement, evidence, joined, error);
    }
    judgement->tested = judge.tested;
    judgement->cpu_threshold = expm1(judge.cpu_threshold);
    free(evidence);
    return status;
}

void judgement_clear(struct judgement *judgement) {
    free(judgement->comparisons);
    *judgement = (struct judgement){0};
}
