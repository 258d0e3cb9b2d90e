#include "bench/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/selection.h"
#include "util/clock.h"

// ---- The order of the first round ----

// Whether a point of the run with this value remains of what the probe skips.
static bool has_point(const struct run *run, size_t parameter, uint64_t value) {
    for (size_t i = 0; i < point_count(run); i++) {
        const struct point point = point_at(run, i);
        if (point.values[parameter] == value && !point_skipped(run, &point)) {
            return true;
        }
    }
    return false;
}

static uint64_t headline_value(const struct run *run, size_t parameter) {
    const struct sweep *sweep = &run->sweeps[parameter];
    size_t last = sweep->count - 1;
    for (size_t i = 0; i < sweep->count; i++) {
        if (sweep->values[i] == run->probe->headline_values[parameter] && has_point(run, parameter, sweep->values[i])) {
            return sweep->values[i];
        }
    }
    while (last > 0 && !has_point(run, parameter, sweep->values[last])) {
        last--;
    }
    return sweep->values[last];
}

static struct point order_headline(const struct run *run) {
    struct point point = {.variant = run->variant};
    for (size_t k = 0; k < run->probe->parameter_count; k++) {
        point.values[k] = run->sweeps[k].count > 0 ? headline_value(run, k) : 0;
    }
    return point;
}

static bool names(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static bool matches(const struct telling *telling, const struct run *run, const struct point *point) {
    bool match = names(telling->variants, run->variant->name);
    for (size_t k = 0; k < run->probe->parameter_count && match; k++) {
        match = telling->values[k] == 0 || run->sweeps[k].count == 0 || point->values[k] == telling->values[k];
    }
    return match;
}

static size_t place(const struct run *run, const struct point *point) {
    size_t i = 0;
    while (i < run->probe->telling_count && !matches(&run->probe->telling[i], run, point)) {
        i++;
    }
    return i;
}

// How often the sweep must be halved until the value is the middle of a part; 0 for its ends.
static unsigned halvings(size_t index, size_t count) {
    size_t low = 0, high = count - 1;
    unsigned steps = 0;
    while (index != low && index != high) {
        const size_t middle = low + (high - low) / 2;
        *(index < middle ? &high : &low) = middle;
        steps++;
    }
    return steps;
}

static unsigned detail(const struct run *run, size_t number) {
    size_t indices[PARAMETERS_MAX];
    unsigned sum = 0;
    point_indices(run, number, indices);
    for (size_t k = 0; k < run->probe->parameter_count; k++) {
        sum += run->sweeps[k].count > 1 ? halvings(indices[k], run->sweeps[k].count) : 0;
    }
    return sum;
}

static int compare(const void *a, const void *b) {
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    if (x->telling != y->telling) {
        return x->telling < y->telling ? -1 : 1;
    }
    if (x->detail != y->detail) {
        return x->detail < y->detail ? -1 : 1;
    }
    return (x > y) - (x < y);
}

static void order_items(struct item *items, struct item **order, size_t count, bool by_telling) {
    for (size_t i = 0; i < count; i++) {
        const struct point point = point_at(items[i].run, items[i].number);
        items[i].telling = place(items[i].run, &point);
        items[i].detail = detail(items[i].run, items[i].number);
        order[i] = &items[i];
    }
    if (by_telling && count > 0) {
        qsort(order, count, sizeof *order, compare);
    }
}

enum {
    FIRST_SAMPLES = 10, // of the first round
    NEIGHBOURS = 64,    // that are looked at for a smaller point
    LEAST_ROUNDS = 3    // of a point's work: one to verify, one to warm up, one sample
};
static const double ENERGY_S = 1.4;    // of a point's run for its joules
static const double MARGIN = 0.96;     // share of the budget for rows; the rest is for closing devices and files
static const double FIRST_SHARE = 0.5; // of a point's share of the time, for its first samples
static const double WORTHWHILE =
    0.5;                      // of what preparing a point takes; with less for its samples the rest would be wasted
static const double DEAR = 2; // times what preparing the device's points took on average
static const double LEAST_SAMPLING_S = 2e-3, MOST_SAMPLING_S = 15; // in a round
static const double USUAL_MIN_S = 0.5;                             // a point that is given so much time uses it
static const double REPEATED = 0.1; // of the samples that a point has, less would tell nothing

static double left_s(const struct plan *plan) {
    return plan->deadline_s - clock_s();
}

static size_t device_of(const struct plan *plan, const struct item *item) {
    return (size_t)(item->run->bench_device - plan->devices);
}

static bool is_predicted(const struct item *item) {
    return item->run->bench_device->device->info.predicted;
}

// A point whose values the user chose is left out only if the user also gave a budget.
static bool is_asked(const struct settings *settings, const struct run *run) {
    for (size_t k = 0; k < run->probe->parameter_count && !settings->budget_given; k++) {
        if (run->sweeps[k].count > 0 && !run->defaulted[k]) {
            return true;
        }
    }
    return false;
}

static enum status add_items(struct plan *plan, struct run *run, struct error *error) {
    const size_t count = point_count(run);
    struct item *grown = realloc(plan->items, (plan->count + count) * sizeof *grown);
    if (!grown) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    plan->items = grown;
    const bool all = plan->settings->extent != EXTENT_HEADLINE;
    const struct point headline = all ? (struct point){0} : order_headline(run);
    for (size_t i = 0; i < count; i++) {
        const struct point point = point_at(run, i);
        if (!point_skipped(run, &point) && (all || memcmp(point.values, headline.values, sizeof point.values) == 0)) {
            grown[plan->count++] =
                (struct item){.run = run, .number = i, .asked = is_asked(plan->settings, run), .wide_pct = INFINITY};
        }
    }
    return STATUS_OK;
}

enum status plan_make(struct plan *plan, struct settings *settings, struct run *runs, size_t run_count,
                      struct bench_device *devices, size_t device_count, double started_s, struct error *error) {
    *plan = (struct plan){.settings = settings,
                          .devices = devices,
                          .device_count = device_count,
                          .turns = calloc(device_count + 1, sizeof *plan->turns),
                          .in_rounds = isfinite(settings->budget_s) && !settings->times_given && !settings->counting,
                          .deadline_s = started_s + MARGIN * settings->budget_s};
    for (size_t i = 0; i < run_count; i++) {
        runs[i].devices = devices;
        runs[i].device_count = device_count;
    }
    enum status status =
        plan->turns ? points_check_left(runs, run_count, error) : error_set(error, STATUS_FAILED, "out of memory");
    for (size_t i = 0; i < run_count && status == STATUS_OK; i++) {
        status = add_items(plan, &runs[i], error);
    }
    plan->order = calloc(plan->count + 1, sizeof *plan->order);
    plan->picks = calloc(plan->count + 1, sizeof *plan->picks);
    if (status == STATUS_OK && (!plan->order || !plan->picks)) {
        status = error_set(error, STATUS_FAILED, "out of memory");
    }
    if (status == STATUS_OK) {
        order_items(plan->items, plan->order, plan->count, isfinite(settings->budget_s));
        for (size_t i = 0; i < plan->count; i++) {
            plan->turns[device_of(plan, &plan->items[i])].untried++;
        }
    }
    return status;
}

void plan_clear(struct plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        series_list_clear(&plan->items[i].kept);
        free(plan->items[i].rows);
    }
    free(plan->items);
    free(plan->order);
    free(plan->picks);
    free(plan->turns);
    *plan = (struct plan){0};
}

// ---- The first round ----

// A point's share of the time that is left: devices that still have points have equal parts, and so have their points.
static double share_of_point_s(const struct plan *plan, const struct item *item) {
    size_t waiting = 0;
    for (size_t d = 0; d < plan->device_count; d++) {
        waiting += plan->turns[d].untried > 0;
    }
    return left_s(plan) / (double)waiting / (double)plan->turns[device_of(plan, item)].untried;
}

// The first untried item of the device, of those that wait only after all others. There is one.
static struct item *first_of_device(struct plan *plan, size_t device) {
    struct turn *turn = &plan->turns[device];
    for (;; turn->next++) {
        if (turn->next == plan->count) {
            turn->next = 0;
            turn->takes_waiting = true;
        }
        struct item *item = plan->order[turn->next];
        if (item->state == ITEM_UNTRIED && device_of(plan, item) == device && (turn->takes_waiting || !item->waits)) {
            return item;
        }
    }
}

// The next item of the device that has used the least time; if time does not matter, the next in order.
static struct item *next_untried(struct plan *plan) {
    struct item *next = NULL;
    for (size_t d = 0; d < plan->device_count; d++) {
        struct item *item = plan->turns[d].untried > 0 ? first_of_device(plan, d) : NULL;
        if (item && (!next || (isfinite(plan->settings->budget_s) &&
                               plan->turns[d].used_s < plan->turns[device_of(plan, next)].used_s))) {
            next = item;
        }
    }
    return next;
}

static double known_cost_s(const struct plan *plan, const struct item *item) {
    const struct bench_rates *rates = &item->run->bench_device->rates;
    const struct point point = point_at(item->run, item->number);
    struct point_cost cost = {0};
    const double rounds = plan->settings->samples > 0 ? (double)plan->settings->samples + 2 : (double)LEAST_ROUNDS;
    if (item->run->probe->cost && !is_predicted(item)) {
        item->run->probe->cost(item->run, &point, &cost);
    }
    const double energy_s = plan->settings->energy && !is_predicted(item) ? ENERGY_S : 0;
    return energy_s + cost.prepare_s + cost.make_bytes * rates->make_s + cost.handle_bytes * rates->handle_s +
           rounds * cost.round_s;
}

static bool at_least(const struct point *point, const struct point *other, size_t parameters) {
    bool at_least = true;
    for (size_t k = 0; k < parameters; k++) {
        at_least = at_least && point->values[k] >= other->values[k];
    }
    return at_least;
}

// A point takes no less time than one of the same run whose values are all smaller, without its samples.
static double expected_s(const struct plan *plan, const struct item *item) {
    const struct point point = point_at(item->run, item->number);
    double expected = known_cost_s(plan, item);
    for (const struct item *other = item;
         other-- > plan->items && item - other < NEIGHBOURS && other->run == item->run;) {
        const struct point before = point_at(other->run, other->number);
        if (other->state == ITEM_MEASURED && at_least(&point, &before, item->run->probe->parameter_count)) {
            return fmax(expected, other->prepare_s);
        }
    }
    return expected;
}

static bool nothing_measured(const struct plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->items[i].state == ITEM_MEASURED) {
            return false;
        }
    }
    return true;
}

// However late it is, a program that was asked to measure something ends with a row.
static bool has_time(const struct plan *plan, const struct item *item) {
    const double left = left_s(plan);
    return isinf(left) || item->asked || (left > 0 && expected_s(plan, item) <= left) || nothing_measured(plan);
}

static void set_sampling(struct plan *plan, struct item *item, double seconds, size_t more) {
    struct settings *settings = plan->settings;
    if (plan->in_rounds) {
        const double sampling = fmin(fmax(seconds, LEAST_SAMPLING_S), MOST_SAMPLING_S);
        settings->max_time_s = settings->limit_s = sampling;
        settings->min_time_s = fmin(USUAL_MIN_S, sampling / 2);
        settings->more = more;
        settings->kept = &item->kept;
        item->kept.next = 0;
    }
    plan->begun_s = clock_s();
    plan->sampled_s = item->run->bench_device->sampled_s;
    plan->had_samples = series_list_samples(&item->kept);
}

// How long the first samples of a point may take. Where many points have little time, fewer of them with samples enough
// for an interval tell more than all with one sample.
static double first_sampling_s(const struct plan *plan, const struct item *item) {
    const struct turn *turn = &plan->turns[device_of(plan, item)];
    const double prepare_s = turn->measured > 0 ? turn->prepared_s / (double)turn->measured : 0;
    return fmax(FIRST_SHARE * share_of_point_s(plan, item), WORTHWHILE * prepare_s);
}

// A point that takes several times as long to prepare as those before it would take the time of several others.
static bool should_wait(const struct plan *plan, const struct item *item) {
    const struct turn *turn = &plan->turns[device_of(plan, item)];
    return plan->in_rounds && !turn->takes_waiting && turn->measured > 0 &&
           known_cost_s(plan, item) > DEAR * turn->prepared_s / (double)turn->measured;
}

static struct item *next_of_first_round(struct plan *plan) {
    for (struct item *item = next_untried(plan); item; item = next_untried(plan)) {
        if (has_time(plan, item)) {
            if (should_wait(plan, item)) {
                item->waits = true;
                continue;
            }
            set_sampling(plan, item, first_sampling_s(plan, item), FIRST_SAMPLES);
            return item;
        }
        item->state = ITEM_LEFT_OUT;
        plan->turns[device_of(plan, item)].untried--;
    }
    return NULL;
}

// ---- Further rounds ----

// Whether there is time to prepare the point again and to add some samples.
static bool fits(const struct plan *plan, const struct item *item) {
    return item->prepare_s + REPEATED * item->sampled_s < left_s(plan);
}

static int widest_first(const void *a, const void *b) {
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    return x->wide_pct != y->wide_pct ? (x->wide_pct < y->wide_pct) - (x->wide_pct > y->wide_pct) : (x > y) - (x < y);
}

static int by_place(const void *a, const void *b) {
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    return (x > y) - (x < y);
}

// The half of the points whose intervals are widest. Where all are narrow, those that were measured at a single moment.
static void pick(struct plan *plan) {
    size_t wide = 0;
    plan->pick_count = plan->picked = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct item *item = &plan->items[i];
        if (item->state == ITEM_MEASURED && !item->settled && fits(plan, item)) {
            plan->picks[plan->pick_count++] = item;
            wide += item->wide_pct > plan->settings->noise_pct;
        }
    }
    if (plan->pick_count == 0) {
        return;
    }
    qsort(plan->picks, plan->pick_count, sizeof *plan->picks, widest_first);
    plan->pick_count = wide > 0 ? (wide + 1) / 2 : plan->pick_count;
    qsort(plan->picks, plan->pick_count, sizeof *plan->picks, by_place);
}

// As many samples as the point has already, if its share of the time allows that.
static struct item *next_of_further_round(struct plan *plan) {
    for (;;) {
        if (plan->picked == plan->pick_count) {
            pick(plan);
        }
        if (plan->pick_count == 0 || left_s(plan) <= 0) {
            return NULL;
        }
        struct item *item = plan->picks[plan->picked];
        const double share = left_s(plan) / (double)(plan->pick_count - plan->picked++);
        if (fits(plan, item)) {
            set_sampling(plan, item, share - item->prepare_s, series_list_samples(&item->kept));
            return item;
        }
    }
}

struct item *plan_next(struct plan *plan) {
    struct item *item = next_of_first_round(plan);
    return item || !plan->in_rounds ? item : next_of_further_round(plan);
}

// The widest interval of the item's rows that come from samples; -1 if none does.
static double widest_pct(const struct item *item) {
    double widest = -1;
    for (size_t i = 0; i < item->row_count; i++) {
        const struct row *row = &item->rows[i];
        if (row->samples != ROW_NO_COUNT && strcmp(row->kernel, "all") == 0) {
            widest = fmax(widest, isnan(row->interval_pct) ? INFINITY : row->interval_pct);
        }
    }
    return widest;
}

void plan_done(struct plan *plan, struct item *item) {
    const double passed_s = clock_s() - plan->begun_s;
    const bool more = series_list_samples(&item->kept) > plan->had_samples;
    item->sampled_s = item->run->bench_device->sampled_s - plan->sampled_s;
    item->prepare_s = passed_s - item->sampled_s;
    item->state = ITEM_MEASURED;
    item->rounds++;
    item->wide_pct = widest_pct(item);
    item->settled = !plan->in_rounds || is_predicted(item) || !more || item->wide_pct < 0 ||
                    (item->rounds > 1 && item->wide_pct <= plan->settings->noise_pct);
    struct turn *turn = &plan->turns[device_of(plan, item)];
    turn->used_s += passed_s;
    if (item->rounds == 1) {
        turn->prepared_s += item->prepare_s;
        turn->measured++;
        turn->untried--;
    }
}

size_t plan_left(const struct plan *plan) {
    size_t untried = 0;
    for (size_t d = 0; d < plan->device_count; d++) {
        untried += plan->turns[d].untried;
    }
    return untried > 0 ? untried : plan->pick_count - plan->picked;
}

bool item_is_final(const struct plan *plan, const struct item *item) {
    (void)plan;
    return item->state == ITEM_LEFT_OUT || item->settled;
}

size_t plan_left_out_count(const struct plan *plan) {
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        count += plan->items[i].state == ITEM_LEFT_OUT;
    }
    return count;
}
