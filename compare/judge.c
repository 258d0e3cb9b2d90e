#include "compare/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/scatter.h"
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

// A side's figure as the logarithm of a speed.
struct estimate {
    double log_speed;
    double variance; // of log_speed, from the samples within the runs
    double freedom;  // its degrees; infinite for a prediction, which is exact
    size_t runs;
    enum reason reason;
};

// The spread between the runs of one side, gathered over all rows that have several.
struct between_runs {
    double squares, freedom;
};

struct judge {
    double threshold, cpu_threshold; // of the logarithm
    bool cpu_scatters;               // cpu_threshold follows from the rows, and only a difference beyond it is sure
    struct between_runs between_runs;
    double critical[FREEDOM_MAX + 1]; // quantiles of Student's t by degrees of freedom; 0: not computed yet
    size_t tested;
};

static double log_speed(const struct result *row, enum figure figure) {
    const double value = log(row->figures[figure]);
    return figure_kinds[figure].less_is_faster ? -value : value;
}

static bool is_usable(const struct result *row, enum figure figure, enum reason trusted) {
    return row->reason == trusted && !isnan(row->figures[figure]);
}

// Rows that cannot be trusted count only if a side has no other.
static enum reason best_reason(const struct repeats *group, enum figure figure) {
    enum reason best = REASONS;
    for (size_t i = 0; i < group->count; i++) {
        const struct result *row = group->rows[i];
        if (!isnan(row->figures[figure]) && (best == REASONS || row->reason == REASON_NONE)) {
            best = row->reason;
        }
    }
    return best;
}

static struct estimate estimate(const struct repeats *group, enum figure figure) {
    struct estimate e = {.reason = best_reason(group, figure)};
    for (size_t i = 0; i < group->count; i++) {
        const struct result *row = group->rows[i];
        if (is_usable(row, figure, e.reason)) {
            e.log_speed += log_speed(row, figure);
            e.variance += row->error * row->error;
            e.freedom += row->freedom;
            e.runs++;
        }
    }
    const double runs = (double)e.runs;
    e.log_speed /= runs;
    e.variance /= runs * runs;
    return e;
}

static bool has_figure(const struct repeats *group, enum figure figure) {
    return best_reason(group, figure) != REASONS;
}

static enum figure common_figure(const struct pair *pair) {
    enum figure figure = 0;
    while (figure < FIGURES && !(has_figure(pair->a, figure) && has_figure(pair->b, figure))) {
        figure++;
    }
    return figure;
}

static void gather_spread(struct between_runs *between_runs, const struct repeats *group, enum figure figure) {
    const struct estimate mean = estimate(group, figure);
    if (mean.reason != REASON_NONE || mean.runs < 2) {
        return;
    }
    for (size_t i = 0; i < group->count; i++) {
        if (is_usable(group->rows[i], figure, REASON_NONE)) {
            const double difference = log_speed(group->rows[i], figure) - mean.log_speed;
            between_runs->squares += difference * difference;
        }
    }
    between_runs->freedom += (double)mean.runs - 1;
}

// Repeated runs show the differences between runs, which the samples of one run cannot show.
static void widen(struct estimate *e, const struct between_runs *between_runs) {
    const double variance = between_runs->squares / between_runs->freedom / (double)e->runs;
    if (between_runs->freedom > 0 && isfinite(e->freedom) && variance > e->variance) {
        e->variance = variance;
        e->freedom = between_runs->freedom;
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

static const struct result *representative(const struct repeats *group, enum reason reason, enum figure figure) {
    size_t i = 0;
    while (i + 1 < group->count && !is_usable(group->rows[i], figure, reason)) {
        i++;
    }
    return group->rows[i];
}

// A different clock explains a different time of the same device without any change of software.
static bool clocks_differ(const struct judge *judge, const struct comparison *c, const struct estimate sides[2]) {
    return same_device(c) && fabs(log(c->a->clock_mhz / c->b->clock_mhz)) > threshold_of(judge, c, sides);
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

// The estimates of a pair, and the reasons why they may not decide.
static void prepare(struct judge *judge, const struct pair *pair, struct comparison *c, struct estimate sides[2]) {
    *c = (struct comparison){.a = pair->a->rows[0],
                             .b = pair->b->rows[0],
                             .figure = common_figure(pair),
                             .ratio = NAN,
                             .low = NAN,
                             .high = NAN,
                             .outcome = OUTCOME_UNSURE,
                             .reason = REASON_FIGURE};
    if (c->figure == FIGURES) {
        return;
    }
    sides[0] = estimate(pair->a, c->figure);
    sides[1] = estimate(pair->b, c->figure);
    widen(&sides[0], &judge->between_runs);
    widen(&sides[1], &judge->between_runs);
    c->a = representative(pair->a, sides[0].reason, c->figure);
    c->b = representative(pair->b, sides[1].reason, c->figure);
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
    c->reason = c->outcome != OUTCOME_UNSURE ? REASON_NONE
                : of_origins                 ? REASON_ORIGIN
                : scatters                   ? REASON_RUNS
                                             : REASON_SPREAD;
}

static bool is_undecided(const struct comparison *c) {
    return c->outcome == OUTCOME_UNSURE && c->reason == REASON_NONE;
}

// Finds out how far apart single runs of a CPU are, unless the caller has said it.
static enum status find_scatter(struct judge *judge, const struct judgement *judgement, struct estimate (*sides)[2],
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
        if (is_undecided(c) && is_single_on_cpu(c, sides[i])) {
            differences[count++] = fabs(log(c->ratio));
        }
    }
    judge->cpu_threshold = fmax(judge->threshold, scatter_limit(differences, count));
    free(differences);
    return STATUS_OK;
}

static void gather_all(struct judge *judge, const struct joined *joined) {
    for (size_t i = 0; i < joined->count; i++) {
        const enum figure figure = common_figure(&joined->pairs[i]);
        if (figure < FIGURES) {
            gather_spread(&judge->between_runs, joined->pairs[i].a, figure);
            gather_spread(&judge->between_runs, joined->pairs[i].b, figure);
        }
    }
}

enum status judge(struct judgement *judgement, const struct joined *joined, double threshold, double cpu_threshold,
                  struct error *error) {
    struct judge judge = {.threshold = log1p(threshold),
                          .cpu_threshold = isnan(cpu_threshold) ? INFINITY : log1p(fmax(threshold, cpu_threshold)),
                          .cpu_scatters = isnan(cpu_threshold)};
    struct estimate(*sides)[2] = calloc(joined->count + 1, sizeof *sides);
    *judgement = (struct judgement){.comparisons = calloc(joined->count + 1, sizeof *judgement->comparisons),
                                    .count = joined->count};
    if (!sides || !judgement->comparisons) {
        free(sides);
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    gather_all(&judge, joined);
    for (size_t i = 0; i < joined->count; i++) {
        prepare(&judge, &joined->pairs[i], &judgement->comparisons[i], sides[i]);
    }
    const enum status status = find_scatter(&judge, judgement, sides, error);
    for (size_t i = 0; i < joined->count && status == STATUS_OK; i++) {
        struct comparison *c = &judgement->comparisons[i];
        if (is_undecided(c)) {
            decide(&judge, sides[i], c);
        }
        judgement->outcomes[c->outcome]++;
    }
    judgement->tested = judge.tested;
    judgement->cpu_threshold = expm1(judge.cpu_threshold);
    free(sides);
    return status;
}

void judgement_clear(struct judgement *judgement) {
    free(judgement->comparisons);
    *judgement = (struct judgement){0};
}
