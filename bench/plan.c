#include "bench/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan_cost.h"
#include "bench/plan_inside.h"
#include "bench/plan_thin.h"
#include "bench/points.h"
#include "util/clock.h"

static const double MARGIN = 0.96; // share of the budget for rows; the rest is for closing devices and files
static const double USUAL_MIN_S = 0.5, USUAL_MAX_S = 15;
static const double PATIENCE = 1.3; // a run may take this many times its share of the time
static const double RESERVE = 2;    // for later headlines, this many times their expected time
static const double COSTLY = 2;     // a costly point takes more than this many times the run's time per point
static const double LITTLE = 0.1; // of the time that is left; a run that needs no more for its other points ends whole

static enum status keep_whole(struct planned *planned, struct error *error) {
    for (size_t k = 0; k < planned->run->probe->parameter_count; k++) {
        const struct sweep *sweep = &planned->run->sweeps[k];
        planned->whole[k].count = sweep->count;
        planned->whole[k].values = calloc(sweep->count + 1, sizeof *sweep->values);
        planned->share_s[k] = calloc(sweep->count + 1, sizeof *planned->share_s[k]);
        if (!planned->whole[k].values || !planned->share_s[k]) {
            return error_set(error, STATUS_FAILED, "out of memory");
        }
        if (sweep->count > 0) {
            memcpy(planned->whole[k].values, sweep->values, sweep->count * sizeof *sweep->values);
        }
    }
    return STATUS_OK;
}

static double left_s(const struct plan *plan) {
    return plan->deadline_s - clock_s();
}

enum status plan_make(struct plan *plan, struct settings *settings, struct run *runs, size_t run_count,
                      struct bench_device *devices, size_t device_count, double started_s, struct error *error) {
    *plan = (struct plan){.settings = settings,
                          .devices = devices,
                          .count = run_count,
                          .device_count = device_count,
                          .deadline_s = started_s + MARGIN * settings->budget_s,
                          .planned = calloc(run_count, sizeof *plan->planned),
                          .learned = calloc(device_count, sizeof *plan->learned)};
    enum status status = plan->planned && plan->learned ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
    for (size_t i = 0; i < run_count && status == STATUS_OK; i++) {
        plan->planned[i].run = &runs[i];
        runs[i].devices = devices;
        runs[i].device_count = device_count;
        status = keep_whole(&plan->planned[i], error);
    }
    if (status == STATUS_OK) {
        status = points_check_left(runs, run_count, error);
    }
    if (status == STATUS_OK) {
        plan_thin(plan, 0, settings->extent == EXTENT_HEADLINE ? 0 : left_s(plan));
    }
    return status;
}

void plan_clear(struct plan *plan) {
    for (size_t i = 0; i < plan->count && plan->planned; i++) {
        for (size_t k = 0; k < PARAMETERS_MAX; k++) {
            sweep_clear(&plan->planned[i].whole[k]);
            free(plan->planned[i].share_s[k]);
        }
    }
    free(plan->planned);
    free(plan->learned);
    *plan = (struct plan){0};
}

// ---- While it runs ----

// The time for each measurement from this run on: what is left after preparation, divided by their number.
static double row_share_s(const struct plan *plan, size_t run) {
    double rest = left_s(plan), rows = 0;
    for (size_t i = run; i < plan->count; i++) {
        const struct planned *planned = &plan->planned[i];
        const double least = plan_least_row_s(plan, planned);
        const double left = (double)planned_points_left(planned);
        rest -= plan_run_s(plan, planned, 0) - plan_use(plan, planned) * left * least;
        rows += plan_device_info(planned)->predicted ? 0 : plan_use(plan, planned) * left;
    }
    return fmax(rest / fmax(rows, 1), plan_least_row_s(plan, &plan->planned[run]));
}

void plan_begin_run(struct plan *plan, size_t run) {
    double expected = 0;
    if (plan->settings->extent == EXTENT_BUDGET) {
        plan_thin(plan, run, left_s(plan));
    }
    const double row_s = row_share_s(plan, run);
    for (size_t i = run; i < plan->count; i++) {
        expected += plan_run_s(plan, &plan->planned[i], row_s);
    }
    const double part = plan_run_s(plan, &plan->planned[run], row_s) / expected, left = fmax(0, left_s(plan));
    plan->planned[run].fair_until_s = clock_s() + part * left;
    plan->planned[run].until_s = clock_s() + fmin(1, PATIENCE * part) * left;
}

// A point whose values the user chose is left out only if the user also gave a budget.
static bool may_be_left_out(const struct plan *plan, const struct planned *planned) {
    for (size_t k = 0; k < planned->run->probe->parameter_count && !plan->settings->budget_given; k++) {
        if (planned->run->sweeps[k].count > 0 && !planned->run->defaulted[k]) {
            return false;
        }
    }
    return true;
}

static double point_s(const struct plan *plan, const struct planned *planned, const struct point_time *time) {
    return plan_factor(plan, planned) * time->prepare_s +
           plan_use(plan, planned) * (time->long_s + plan_least_row_s(plan, planned));
}

// The time that the headlines of the later runs are expected to take.
static double later_headlines_s(const struct plan *plan, size_t run) {
    double sum = 0;
    for (size_t i = run + 1; i < plan->count; i++) {
        const struct planned *later = &plan->planned[i];
        sum += point_s(plan, later, &later->headline);
    }
    return sum;
}

// When a run must stop measuring: after its share of the time, and early enough for the headlines of the later runs.
// The reserve for these is taken only from what goes beyond the run's fair share.
static double run_until_s(const struct plan *plan, size_t run) {
    const struct planned *planned = &plan->planned[run];
    const double reserved = plan->deadline_s - RESERVE * later_headlines_s(plan, run);
    return fmin(planned->until_s, fmax(reserved, planned->fair_until_s));
}

// However late it is, a program that was asked to measure something ends with a row.
static bool nothing_measured(const struct plan *plan) {
    size_t done = 0;
    for (size_t i = 0; i < plan->count; i++) {
        done += plan->planned[i].done;
    }
    return done == 0;
}

// A run that takes longer than expected stays within its share of the time, so that later runs do not pay for it. It
// leaves out costly points first and its headline last. Where only its start took long, as the first compilation of a
// kernel does, the other points are worth the little that they cost.
static bool has_time(const struct plan *plan, size_t run, const struct point *point) {
    const struct planned *planned = &plan->planned[run];
    const double cost = point_s(plan, planned, &planned->now), now = clock_s();
    const double left = (double)planned_points_left(planned);
    const double own = run_until_s(plan, run) - now;
    if (nothing_measured(plan)) {
        return true;
    }
    if (planned->done == 0) { // may use the time kept for closing, and runs even if an untested estimate is too long
        const double until = plan->deadline_s + (1 - MARGIN) * plan->settings->budget_s;
        return now < plan->deadline_s && (now + cost <= until || plan_learned(plan, planned)->actual_s <= 0);
    }
    if (memcmp(point->values, planned->headline_values, sizeof point->values) == 0) {
        return now + cost <= plan->deadline_s - later_headlines_s(plan, run);
    }
    const double rest = plan_run_s(plan, planned, 0);
    if (rest <= LITTLE * (left_s(plan) - later_headlines_s(plan, run))) {
        return true;
    }
    return cost <= own && (rest <= own || cost * left <= COSTLY * own);
}

static void share_time(struct plan *plan, size_t run) {
    struct settings *settings = plan->settings;
    const double row = row_share_s(plan, run);
    plan->planned[run].given_s = row;
    if (!settings->times_given) {
        settings->max_time_s = fmin(USUAL_MAX_S, row);
        settings->min_time_s = fmin(USUAL_MIN_S, row / 2);
        settings->limit_s = row;
    }
}

size_t plan_points_left(const struct plan *plan, size_t run) {
    size_t sum = 0;
    for (size_t i = run; i < plan->count; i++) {
        sum += planned_points_left(&plan->planned[i]);
    }
    return sum;
}

static void spend(struct planned *planned) {
    planned->spent.prepare_s += planned->now.prepare_s;
    planned->spent.long_s += planned->now.long_s;
}

bool plan_begin_point(struct plan *plan, size_t run, const struct point *point) {
    struct planned *planned = &plan->planned[run];
    if (isinf(plan->settings->budget_s)) {
        return true;
    }
    planned->now = plan_point_time(plan, planned, point);
    planned->now.prepare_s += planned->done > 0 ? 0 : planned->make_s;
    if (may_be_left_out(plan, planned) && !has_time(plan, run, point)) {
        planned->dropped++;
        spend(planned);
        return false;
    }
    share_time(plan, run);
    planned->begun_s = clock_s();
    planned->sampled_s = planned->run->bench_device->sampled_s;
    return true;
}

void plan_end_point(struct plan *plan, size_t run) {
    struct planned *planned = &plan->planned[run];
    struct learned *learned = plan_learned(plan, planned);
    const double sampled = planned->run->bench_device->sampled_s - planned->sampled_s;
    learned->estimated_s += planned->now.prepare_s;
    learned->actual_s += clock_s() - planned->begun_s - sampled;
    learned->given_s += planned->given_s + planned->now.long_s;
    learned->used_s += sampled;
    planned->done++;
    spend(planned);
}
