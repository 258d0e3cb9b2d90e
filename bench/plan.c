#include "bench/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan_inside.h"
#include "bench/points.h"
#include "util/clock.h"

enum {
    LEAST_ROUNDS = 5, // to verify, to warm up, and three samples
};
static const double MARGIN = 0.96;             // of the budget: devices are closed, files written
static const double POINT_S = 0.02;            // what a point costs at least until it is known: memory, compilers
static const double SIMULATED_POINT_S = 0.006; // of which there are many
static const double LEAST_ROW_S = 0.1;         // shorter, a disturbance or two make a row noisy
static const double LEAST_GPU_ROW_S = 0.03;    // a GPU has few of them
static const double USUAL_MIN_S = 0.5, USUAL_MAX_S = 15;
static const double PATIENCE = 1.3; // a run may take so many times its part of the time
static const double RESERVE = 2;    // times what a headline is expected to take
static const double COSTLY = 2;     // a point that costs so many times what each could have
static const double CAUTION = 2;    // times what is estimated, until it is known better
static const double TRUST_S = 0.5;  // so much must be seen before it counts as much as the estimate

static struct learned *learned_of(const struct plan *plan, const struct planned *planned) {
    return &plan->learned[planned->run->bench_device - plan->devices];
}

static const struct device_info *info_of(const struct planned *planned) {
    return &planned->run->bench_device->device->info;
}

double plan_factor(const struct plan *plan, const struct planned *planned) {
    const struct learned *l = learned_of(plan, planned);
    return (CAUTION * TRUST_S + l->actual_s) / (TRUST_S + l->estimated_s);
}

double plan_use(const struct plan *plan, const struct planned *planned) {
    const struct learned *l = learned_of(plan, planned);
    return (TRUST_S + l->used_s) / (TRUST_S + l->given_s);
}

double plan_least_row_s(const struct plan *plan, const struct planned *planned) {
    const struct settings *settings = plan->settings;
    if (info_of(planned)->predicted) {
        return 0;
    }
    if (settings->times_given) {
        return settings->samples > 0 ? 0 : settings->min_time_s;
    }
    return device_is_cpu(info_of(planned)) ? LEAST_ROW_S : LEAST_GPU_ROW_S;
}

static struct point_cost cost_of(const struct planned *planned, const struct point *point) {
    struct point_cost cost = {0};
    if (planned->run->probe->cost) {
        planned->run->probe->cost(planned->run, point, &cost);
    }
    return cost;
}

static struct point_time time_of(const struct plan *plan, const struct planned *planned, const struct point *point) {
    const struct bench_rates *rates = &planned->run->bench_device->rates;
    const struct point_cost cost = cost_of(planned, point);
    const double rounds = plan->settings->samples > 0 ? (double)plan->settings->samples + 2 : LEAST_ROUNDS;
    const double point_s = info_of(planned)->predicted ? SIMULATED_POINT_S : POINT_S;
    return (struct point_time){.prepare_s = point_s + cost.handle_bytes * rates->handle_s,
                               .long_s = fmax(0, rounds * cost.round_s - plan_least_row_s(plan, planned))};
}

static double make_s(const struct planned *planned, const struct point *point) {
    return cost_of(planned, point).make_bytes * planned->run->bench_device->rates.make_s;
}

static struct point headline(const struct planned *planned) {
    struct point point = {.variant = planned->run->variant};
    for (size_t k = 0; k < planned->run->probe->parameter_count; k++) {
        if (planned->run->sweeps[k].count > 0) {
            point.values[k] = planned->run->sweeps[k].values[plan_headline_index(planned, k)];
        }
    }
    return point;
}

static void add_point(const struct plan *plan, struct planned *planned, size_t number) {
    const struct point point = point_at(planned->run, number);
    if (point_skipped(planned->run, &point)) {
        return;
    }
    const struct point_time time = time_of(plan, planned, &point);
    const double row_s = plan_least_row_s(plan, planned);
    size_t indices[PARAMETERS_MAX];
    point_indices(planned->run, number, indices);
    for (size_t k = 0; k < planned->run->probe->parameter_count; k++) {
        if (planned->run->sweeps[k].count > 0) {
            planned->share_s[k][indices[k]] += time.prepare_s + time.long_s + row_s;
        }
    }
    planned->prepare_s += time.prepare_s;
    planned->long_s += time.long_s;
    planned->make_s = fmax(planned->make_s, make_s(planned, &point));
    planned->points++;
}

void plan_sum(const struct plan *plan, struct planned *planned) {
    const size_t count = point_count(planned->run);
    planned->prepare_s = planned->long_s = planned->make_s = 0;
    planned->points = 0;
    for (size_t k = 0; k < planned->run->probe->parameter_count; k++) {
        memset(planned->share_s[k], 0, planned->run->sweeps[k].count * sizeof *planned->share_s[k]);
    }
    for (size_t i = 0; i < count; i++) {
        add_point(plan, planned, i);
    }
    const struct point first = headline(planned);
    planned->headline = time_of(plan, planned, &first);
    planned->headline.prepare_s += make_s(planned, &first);
}

double plan_run_s(const struct plan *plan, const struct planned *planned, double row_s) {
    const double made = planned->done > 0 ? 0 : planned->make_s;
    const double left = (double)(planned->points - planned->done - planned->dropped);
    const double row = info_of(planned)->predicted ? 0 : fmax(row_s, plan_least_row_s(plan, planned));
    return plan_factor(plan, planned) * fmax(0, made + planned->prepare_s - planned->spent.prepare_s) +
           plan_use(plan, planned) * (left * row + fmax(0, planned->long_s - planned->spent.long_s));
}

double plan_expected_s(const struct plan *plan) {
    double sum = 0;
    for (size_t i = 0; i < plan->count; i++) {
        sum += plan_run_s(plan, &plan->planned[i], 0);
    }
    return sum;
}

// ---- Making it ----

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

void plan_begin_run(struct plan *plan, size_t run) {
    double expected = 0;
    if (plan->settings->extent == EXTENT_BUDGET) {
        plan_thin(plan, run, left_s(plan));
    }
    for (size_t i = run; i < plan->count; i++) {
        expected += plan_run_s(plan, &plan->planned[i], 0);
    }
    const double part = plan_run_s(plan, &plan->planned[run], 0) / expected;
    plan->planned[run].until_s = clock_s() + fmin(1, PATIENCE * part) * fmax(0, left_s(plan));
}

// A point of the user's own choice is left out only where a budget was asked for.
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

// What is kept back, so that every later run gets its headline.
static double reserve_s(const struct plan *plan, size_t run) {
    double sum = 0;
    for (size_t i = run + 1; i < plan->count; i++) {
        const struct planned *later = &plan->planned[i];
        sum += RESERVE * point_s(plan, later, &later->headline);
    }
    return sum;
}

// A run that takes longer than was thought takes no more than its part of the time, lest the later ones pay for it;
// then points that cost much go first.
static bool has_time(const struct plan *plan, size_t run) {
    const struct planned *planned = &plan->planned[run];
    const double cost = point_s(plan, planned, &planned->now), now = clock_s();
    const double left = (double)(planned->points - planned->done - planned->dropped);
    const double own = fmin(planned->until_s, plan->deadline_s - reserve_s(plan, run)) - now;
    if (planned->done ==
        0) { // a variant's first point may take what is kept back for closing; an estimate may be wrong
        const double until = plan->deadline_s + (1 - MARGIN) * plan->settings->budget_s;
        return now < plan->deadline_s && (now + cost <= until || learned_of(plan, planned)->actual_s <= 0);
    }
    return cost <= own && (plan_run_s(plan, planned, 0) <= own || cost * left <= COSTLY * own);
}

// What is left beside all else is shared by the measurements that are still to be made.
static void share_time(struct plan *plan, size_t run) {
    struct settings *settings = plan->settings;
    double rest = left_s(plan), rows = 0;
    for (size_t i = run; i < plan->count; i++) {
        const struct planned *planned = &plan->planned[i];
        const double least = plan_least_row_s(plan, planned);
        const double left = (double)(planned->points - planned->done - planned->dropped);
        rest -= plan_run_s(plan, planned, 0) - plan_use(plan, planned) * left * least;
        rows += info_of(planned)->predicted ? 0 : plan_use(plan, planned) * left;
    }
    const double row = fmax(rest / fmax(rows, 1), plan_least_row_s(plan, &plan->planned[run]));
    plan->planned[run].given_s = row;
    if (!settings->times_given) {
        settings->max_time_s = fmin(USUAL_MAX_S, row);
        settings->min_time_s = fmin(USUAL_MIN_S, row / 2);
        settings->limit_s = row;
    }
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
    planned->now = time_of(plan, planned, point);
    planned->now.prepare_s += planned->done > 0 ? 0 : planned->make_s;
    if (may_be_left_out(plan, planned) && !has_time(plan, run)) {
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
    struct learned *learned = learned_of(plan, planned);
    const double sampled = planned->run->bench_device->sampled_s - planned->sampled_s;
    learned->estimated_s += planned->now.prepare_s;
    learned->actual_s += clock_s() - planned->begun_s - sampled;
    learned->given_s += planned->given_s + planned->now.long_s;
    learned->used_s += sampled;
    planned->done++;
    spend(planned);
}
