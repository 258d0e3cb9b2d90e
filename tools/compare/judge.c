#include "tools/compare/judge.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/spread.h"
#include "util/error.h"

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
    RUNS_ENOUGH = 3,
    RUNS_MANY = 5,  // whose own spread tells enough
    FREEDOM_MIN = 4 // of a row's spread between runs: three runs on each side
};

// A side's figure as the logarithm of a speed.
struct estimate {
    double log_speed;
    double variance; // of log_speed, from the samples within the runs, or from the spread between these
    double freedom;  // its degrees; infinite for a prediction, which is exact, and where all rows' samples spread alike
    bool exact;
    size_t runs;
    double clock_low, clock_high; // of the runs
    double squares;               // of the runs' differences from their mean
    double reach;                 // of the 95 % interval of a single run's median
    double drift, modes;          // of a single run's samples
    bool noisy, correlated;
    bool by_runs; // the spread between the runs is the larger one
    enum reason reason;
};

// What is known of a pair before its verdict.
struct evidence {
    enum figure figure; // FIGURES: none is in both
    bool by_fastest;    // each run counts by its fastest sample
    bool repeated;      // both sides have enough runs to know the spread between them
    struct estimate sides[2];
    struct spread between_runs;
};

struct judge {
    double threshold, cpu_threshold;  // of the logarithm
    bool cpu_scatters;                // cpu_threshold follows from the rows, and only a difference beyond it is sure
    struct scatter_limits limits[2];  // of few runs, for GPUs and for CPUs
    struct spread samples[2];         // what the samples of all rows have in common: on GPUs, and on CPUs
    struct spread between_runs;       // what all rows have in common
    struct spread largest;            // between the runs of any row
    double critical[FREEDOM_MAX + 1]; // quantiles of Student's t by degrees of freedom; 0: not computed yet
    size_t tested;
};

// A neighbour can only slow a sample down, so it takes little from a run's fastest one. Where runs are repeated, their
// spread tells what the samples of one run do not.
static enum reason distrust(const struct result *row, const struct evidence *e) {
    const bool told_otherwise =
        (e->by_fastest && row->reason == REASON_WAITED) || (e->repeated && row->reason == REASON_CORRELATED);
    return told_otherwise ? REASON_NONE : row->reason;
}

static double log_speed(const struct result *row, enum figure figure, bool by_fastest) {
    const double value = log(row->figures[figure]);
    return (figure_kinds[figure].less_is_faster ? -value : value) + (by_fastest ? log(row->fastest) : 0);
}

static bool is_usable(const struct result *row, const struct evidence *e, enum reason trusted) {
    return distrust(row, e) == trusted && !isnan(row->figures[e->figure]);
}

// Rows that cannot be trusted count only if a side has no other.
static enum reason best_reason(const struct repeats *group, const struct evidence *e, enum figure figure) {
    enum reason best = REASONS;
    for (size_t i = 0; i < group->count; i++) {
        const enum reason reason = distrust(group->rows[i], e);
        if (!isnan(group->rows[i]->figures[figure]) && (best == REASONS || reason == REASON_NONE)) {
            best = reason;
        }
    }
    return best;
}

// The spread of the row's samples, together with what those of all rows tell about it.
static struct spread spread_of_samples(const struct judge *judge, const struct result *row) {
    const struct spread own = {row->variance, row->freedom};
    return isfinite(row->freedom) ? spread_moderate(judge->samples[row->on_cpu], own) : own;
}

static struct estimate estimate(const struct judge *judge, const struct repeats *group, const struct evidence *e) {
    struct estimate sum = {
        .reason = best_reason(group, e, e->figure), .clock_low = NAN, .clock_high = NAN, .exact = true};
    for (size_t i = 0; i < group->count; i++) {
        const struct result *row = group->rows[i];
        if (is_usable(row, e, sum.reason)) {
            const struct spread samples = spread_of_samples(judge, row);
            sum.log_speed += log_speed(row, e->figure, e->by_fastest);
            sum.variance +=
                e->by_fastest || samples.variance <= 0 ? 0 : result_median_variance(samples.variance, row->samples);
            sum.freedom += samples.freedom;
            sum.exact = sum.exact && isinf(row->freedom);
            sum.clock_low = fmin(sum.clock_low, row->clock_mhz);
            sum.clock_high = fmax(sum.clock_high, row->clock_mhz);
            sum.noisy = sum.noisy || row->noisy;
            sum.correlated = sum.correlated || row->correlated;
            sum.reach = row->reach;
            sum.drift = fmax(sum.drift, row->drift);
            sum.modes = fmax(sum.modes, row->modes);
            sum.runs++;
        }
    }
    const double runs = (double)sum.runs;
    sum.log_speed /= runs;
    sum.variance /= runs * runs;
    for (size_t i = 0; i < group->count; i++) {
        if (is_usable(group->rows[i], e, sum.reason)) {
            const double difference = log_speed(group->rows[i], e->figure, e->by_fastest) - sum.log_speed;
            sum.squares += difference * difference;
        }
    }
    return sum;
}

static bool has_figure(const struct repeats *group, enum figure figure) {
    return best_reason(group, &(struct evidence){.figure = figure}, figure) != REASONS;
}

static enum figure common_figure(const struct pair *pair) {
    enum figure figure = 0;
    while (figure < FIGURES && !(has_figure(pair->a, figure) && has_figure(pair->b, figure))) {
        figure++;
    }
    return figure;
}

static bool has_fastest(const struct repeats *group) {
    bool has = group->count >= RUNS_ENOUGH;
    for (size_t i = 0; i < group->count && has; i++) {
        has = group->rows[i]->on_cpu && group->rows[i]->fastest >= 1;
    }
    return has;
}

static struct evidence gather(const struct judge *judge, const struct pair *pair) {
    struct evidence e = {.figure = common_figure(pair),
                         .by_fastest = has_fastest(pair->a) && has_fastest(pair->b),
                         .repeated = pair->a->count >= RUNS_ENOUGH && pair->b->count >= RUNS_ENOUGH};
    if (e.figure < FIGURES) {
        e.sides[0] = estimate(judge, pair->a, &e);
        e.sides[1] = estimate(judge, pair->b, &e);
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
    if (between_runs.freedom > 0 && !e->exact && variance > e->variance) {
        e->variance = variance;
        e->freedom = between_runs.freedom;
        e->by_runs = true;
    }
}

static bool has_single_run(const struct estimate sides[2]) {
    return sides[0].runs < 2 || sides[1].runs < 2;
}

// Single runs of a CPU differ by more than their samples show.
static bool is_single_on_cpu(const struct comparison *c, const struct estimate sides[2]) {
    return (c->a->on_cpu || c->b->on_cpu) && has_single_run(sides);
}

bool comparison_has_origins(const struct comparison *c) {
    const enum source a = c->a->source, b = c->b->source;
    return a == SOURCE_PUBLISHED || b == SOURCE_PUBLISHED || (a != b && strcmp(c->a->device, c->b->device) != 0);
}

bool comparison_has_predictions(const struct comparison *c) {
    return c->a->source == SOURCE_PREDICTED && c->b->source == SOURCE_PREDICTED &&
           strcmp(c->a->device, c->b->device) != 0;
}

static double log_error(const struct result *prediction) {
    return log1p(isnan(prediction->expected_error) ? origin_threshold : prediction->expected_error);
}

// What the figures may be apart without any difference between the parts, as a logarithm; 0 if that is in the samples.
// One model's errors on two parts may have opposite signs.
static double doubt(const struct comparison *c) {
    return comparison_has_origins(c)       ? log1p(origin_threshold)
           : comparison_has_predictions(c) ? log_error(c->a) + log_error(c->b)
                                           : 0;
}

static double threshold_of(const struct judge *judge, const struct comparison *c, const struct estimate sides[2]) {
    return is_single_on_cpu(c, sides) && doubt(c) <= 0 ? judge->cpu_threshold : fmax(judge->threshold, doubt(c));
}

static bool same_device(const struct comparison *c) {
    return c->a->source == SOURCE_MEASURED && c->b->source == SOURCE_MEASURED &&
           strcmp(c->a->device, c->b->device) == 0;
}

// Runs of one device, so few that their own spread may be small by chance. Between two devices nothing tells how far
// two runs of one differ. Single runs of a CPU have their own rule.
static bool has_few_runs(const struct comparison *c, const struct estimate sides[2]) {
    return same_device(c) && (sides[0].runs < RUNS_MANY || sides[1].runs < RUNS_MANY) && !is_single_on_cpu(c, sides);
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
        identical = a->source == b->source && !differ(a->figures[figure], b->figures[figure]) &&
                    !differ(a->variance, b->variance);
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

// How far a pair's speeds must be apart for a verdict, as logarithms.
struct limits {
    double same;           // an interval within it is no difference
    double changed;        // an interval beyond it is one,
    double slower, faster; // if the difference itself is also beyond these
    double slack;          // widens the interval: what the medians may have to do with chance
    enum reason slack_reason;
    bool never_same;
};

// The samples of a single run may drift, or jump between groups, so their median is one of several that the run could
// have had.
static void add_slack(struct limits *limits, const struct estimate sides[2]) {
    const double drift = sides[0].drift + sides[1].drift, modes = sides[0].modes + sides[1].modes;
    limits->slack = log1p(drift + modes);
    limits->slack_reason = drift > modes ? REASON_DRIFT : REASON_MODES;
}

static struct limits limits_of(const struct judge *judge, const struct comparison *c, const struct evidence *e) {
    const double threshold = threshold_of(judge, c, e->sides);
    struct limits limits = {.same = threshold, .changed = threshold, .never_same = doubt(c) > 0};
    if (limits.never_same) {
        return limits;
    }
    if (!e->repeated) {
        add_slack(&limits, e->sides);
    }
    if (judge->cpu_scatters && is_single_on_cpu(c, e->sides)) {
        limits.same = judge->threshold;
    } else if (has_few_runs(c, e->sides)) {
        const struct scatter_limits scatter = judge->limits[c->a->on_cpu];
        limits.slower = scatter.slower;
        limits.faster = scatter.faster;
    }
    return limits;
}

static enum outcome outcome_of(const struct limits *limits, double difference, double reach) {
    if (difference - reach > limits->changed && difference > limits->faster) {
        return OUTCOME_FASTER;
    }
    if (difference + reach < -limits->changed && difference < -limits->slower) {
        return OUTCOME_SLOWER;
    }
    return !limits->never_same && fabs(difference) + reach <= limits->same ? OUTCOME_SAME : OUTCOME_UNSURE;
}

static enum reason reason_of(const struct judge *judge, const struct comparison *c, const struct evidence *e,
                             const struct limits *limits, double difference, double reach) {
    const struct limits lax = {.same = limits->same, .changed = limits->changed};
    if (limits->never_same && fabs(difference) <= limits->changed) {
        return comparison_has_predictions(c) ? REASON_PREDICTION : REASON_ORIGIN;
    }
    if (limits->slack > limits->same ||
        (limits->slack > 0 && outcome_of(limits, difference, reach) != OUTCOME_UNSURE)) {
        return limits->slack_reason;
    }
    if ((judge->cpu_scatters && !limits->never_same && is_single_on_cpu(c, e->sides)) ||
        outcome_of(&lax, difference, reach) != OUTCOME_UNSURE) {
        return REASON_RUNS;
    }
    return e->sides[0].correlated || e->sides[1].correlated ? REASON_CORRELATED
           : e->sides[0].noisy || e->sides[1].noisy         ? REASON_NOISY
                                                            : REASON_SPREAD;
}

// Half of the interval that holds for all rows together. It is never narrower than the rows' own 95 % intervals tell.
static double reach_of(struct judge *judge, const struct evidence *e) {
    const struct estimate *a = &e->sides[0], *b = &e->sides[1];
    const double error = sqrt(a->variance + b->variance);
    const double reach = error > 0 ? error * critical_t(judge, welch(a, b)) : 0;
    return has_single_run(e->sides) ? fmax(reach, hypot(a->runs == 1 ? a->reach : 0, b->runs == 1 ? b->reach : 0))
                                    : reach;
}

static void decide(struct judge *judge, const struct evidence *e, struct comparison *c) {
    const struct limits limits = limits_of(judge, c, e);
    const double difference = e->sides[1].log_speed - e->sides[0].log_speed;
    const double reach = reach_of(judge, e);
    c->low = exp(difference - reach - limits.slack);
    c->high = exp(difference + reach + limits.slack);
    c->outcome = outcome_of(&limits, difference, reach + limits.slack);
    c->reason = c->outcome == OUTCOME_UNSURE ? reason_of(judge, c, e, &limits, difference, reach) : REASON_NONE;
}

static bool is_undecided(const struct comparison *c) {
    return c->outcome == OUTCOME_UNSURE && c->reason == REASON_NONE;
}

// What the samples of few runs do not explain of their difference; the sign stays.
static double beyond_samples(const struct comparison *c, const struct evidence *e) {
    const double difference = log(c->ratio);
    const double beyond = fmax(fabs(difference) - sqrt(e->sides[0].variance + e->sides[1].variance), DBL_MIN);
    return difference < 0 ? -beyond : difference > 0 ? beyond : 0;
}

// Whether all single runs moved alike, such as those of a CPU that was busy, or that is another one.
static void find_common_move(struct judgement *judgement, double *differences, size_t count) {
    static const double LEAST = 0.18; // 20 %: runs of a CPU that differ by less are usual
    const double move = scatter_common(differences, count);
    judgement->moved_alike = fabs(move) > LEAST ? exp(move) : 1;
}

// Finds out how far apart few runs are, for single ones of a CPU unless the caller has said it.
static void find_scatter(struct judge *judge, struct judgement *judgement, const struct evidence *evidence) {
    const struct comparison *c = judgement->comparisons;
    double *differences = memory_zeros(judgement->count, sizeof *differences); // of runs, row by row
    size_t count = 0;
    for (size_t i = 0; i < judgement->count; i++) {
        if (is_undecided(&c[i]) && is_single_on_cpu(&c[i], evidence[i].sides)) {
            differences[count++] = log(c[i].ratio);
        }
    }
    find_common_move(judgement, differences, count);
    if (judge->cpu_scatters) {
        judge->cpu_threshold = fmax(judge->threshold, scatter_limit(differences, count));
    }
    for (size_t on_cpu = 0; on_cpu < 2; on_cpu++) {
        count = 0;
        for (size_t i = 0; i < judgement->count; i++) {
            if ((is_undecided(&c[i]) || c[i].outcome == OUTCOME_SAME) && has_few_runs(&c[i], evidence[i].sides) &&
                c[i].a->on_cpu == on_cpu) {
                differences[count++] = beyond_samples(&c[i], &evidence[i]);
            }
        }
        judge->limits[on_cpu] = scatter_limits(differences, count);
    }
    free(differences);
}

// What the spreads of all rows' samples have in common, of one kind of processor.
static struct spread samples_in_common(const struct joined *joined, bool on_cpu, struct spread *spreads) {
    size_t count = 0;
    for (size_t i = 0; i < joined->count; i++) {
        const struct repeats *sides[] = {joined->pairs[i].a, joined->pairs[i].b};
        for (size_t side = 0; side < 2; side++) {
            const struct result *row = sides[side]->rows[0];
            if (row->on_cpu == on_cpu && row->reason == REASON_NONE && isfinite(row->freedom)) {
                spreads[count++] = (struct spread){row->variance, row->freedom};
            }
        }
    }
    return spread_in_common(spreads, count);
}

static void gather_all(struct judge *judge, struct evidence *evidence, const struct joined *joined) {
    struct spread *rows = memory_zeros(2 * joined->count, sizeof *rows); // of both sides' samples, then of the runs
    judge->samples[false] = samples_in_common(joined, false, rows);
    judge->samples[true] = samples_in_common(joined, true, rows);
    for (size_t i = 0; i < joined->count; i++) {
        evidence[i] = gather(judge, &joined->pairs[i]);
        rows[i] = evidence[i].between_runs;
    }
    judge->between_runs = spread_in_common(rows, joined->count);
    judge->largest = spread_largest(rows, joined->count);
    free(rows);
}

static void decide_all(struct judge *judge, struct judgement *judgement, struct evidence *evidence,
                       const struct joined *joined) {
    for (size_t i = 0; i < joined->count; i++) {
        prepare(judge, &joined->pairs[i], &judgement->comparisons[i], &evidence[i]);
    }
    find_scatter(judge, judgement, evidence);
    for (size_t i = 0; i < joined->count; i++) {
        struct comparison *c = &judgement->comparisons[i];
        if (is_undecided(c)) {
            decide(judge, &evidence[i], c);
        }
        judgement->outcomes[c->outcome]++;
    }
}

struct judgement judge(const struct joined *joined, double threshold, double cpu_threshold) {
    struct judge judge = {.threshold = log1p(threshold),
                          .cpu_threshold = isnan(cpu_threshold) ? INFINITY : log1p(fmax(threshold, cpu_threshold)),
                          .cpu_scatters = isnan(cpu_threshold)};
    struct judgement judgement = {.comparisons = memory_zeros(joined->count, sizeof *judgement.comparisons),
                                  .count = joined->count};
    struct evidence *evidence = memory_zeros(joined->count, sizeof *evidence);
    gather_all(&judge, evidence, joined);
    decide_all(&judge, &judgement, evidence, joined);
    judgement.tested = judge.tested;
    judgement.cpu_threshold = expm1(judge.cpu_threshold);
    free(evidence);
    return judgement;
}

void judgement_clear(struct judgement *judgement) {
    free(judgement->comparisons);
    *judgement = (struct judgement){0};
}
