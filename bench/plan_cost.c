#include "bench/plan_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/points.h"

enum {
    LEAST_ROUNDS = 5, // one to verify, one to warm up, three samples
};
static const double POINT_S = 0.02;            // assumed for allocation and compilation until it is known
static const double SIMULATED_POINT_S = 0.006; // the same on a simulated device
static const double LEAST_ROW_S = 0.1;         // in less time one or two disturbances make a row noisy
static const double LEAST_GPU_ROW_S = 0.03;    // a GPU is rarely disturbed
static const double CAUTION = 2;               // factor on an estimate as long as nothing was learned
static const double TRUST_S = 0.5; // after this much measured time, experience counts as much as the estimate

// The index of the probe's headline value, or of the last value, but never of one whose points the probe all skips.
size_t plan_headline_index(const struct planned *planned, size_t parameter) {
    const struct sweep *sweep = &planned->run->sweeps[parameter];
    const double *share_s = planned->share_s[parameter];
    size_t last = sweep->count - 1;
    for (size_t i = 0; i < sweep->count; i++) {
        if (sweep->values[i] == planned->run->probe->headline_values[parameter] && share_s[i] > 0) {
            return i;
        }
    }
    while (last > 0 && share_s[last] <= 0) {
        last--;
    }
    return last;
}

struct learned *plan_learned(const struct plan *plan, const struct planned *planned) {
    return &plan->learned[planned->run->bench_device - plan->devices];
}

double plan_factor(const struct plan *plan, const struct planned *planned) {
    const struct learned *l = plan_learned(plan, planned);
    return (CAUTION * TRUST_S + l->actual_s) / (TRUST_S + l->estimated_s);
}

double plan_use(const struct plan *plan, const struct planned *planned) {
    const struct learned *l = plan_learned(plan, planned);
    return (TRUST_S + l->used_s) / (TRUST_S + l->given_s);
}

double plan_least_row_s(const struct plan *plan, const struct planned *planned) {
    const struct settings *settings = plan->settings;
    if (plan_device_info(planned)->predicted) {
        return 0;
    }
    if (settings->times_given) {
        return settings->samples > 0 ? 0 : settings->min_time_s;
    }
    return device_is_cpu(plan_device_info(planned)) ? LEAST_ROW_S : LEAST_GPU_ROW_S;
}

static struct point_cost cost_of(const struct planned *planned, const struct point *point) {
    struct point_cost cost = {0};
    if (planned->run->probe->cost) {
        planned->run->probe->cost(planned->run, point, &cost);
    }
    return cost;
}

struct point_time plan_point_time(const struct plan *plan, const struct planned *planned, const struct point *point) {
    const struct bench_rates *rates = &planned->run->bench_device->rates;
    const struct point_cost cost = cost_of(planned, point);
    const double rounds = plan->settings->samples > 0 ? (double)plan->settings->samples + 2 : (double)LEAST_ROUNDS;
    const double point_s = plan_device_info(planned)->predicted ? SIMULATED_POINT_S : POINT_S;
    return (struct point_time){.prepare_s = point_s + cost.prepare_s + cost.handle_bytes * rates->handle_s,
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
    const struct point_time time = plan_point_time(plan, planned, &point);
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
    memcpy(planned->headline_values, first.values, sizeof first.values);
    planned->headline = plan_point_time(plan, planned, &first);
    planned->headline.prepare_s += make_s(planned, &first);
}

double plan_run_s(const struct plan *plan, const struct planned *planned, double row_s) {
    const double made = planned->done > 0 ? 0 : planned->make_s;
    const double left = (double)planned_points_left(planned);
    const double row = plan_device_info(planned)->predicted ? 0 : fmax(row_s, plan_least_row_s(plan, planned));
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
