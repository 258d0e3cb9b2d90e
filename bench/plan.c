#include "bench/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpu_part.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/text.h"

// ---- Selection ----

static const struct variant *find_variant(const struct probe *probe, const char *name, size_t length) {
    for (size_t i = 0; i < probe->variant_count; i++) {
        const char *candidate = probe->variants[i].name;
        if (strlen(candidate) == length && strncmp(candidate, name, length) == 0) {
            return &probe->variants[i];
        }
    }
    return NULL;
}

static enum status no_variant(const struct probe *probe, const char *name, size_t length, struct error *error) {
    struct suggestion suggestion = suggestion_for(name, length);
    for (size_t i = 0; i < probe->variant_count; i++) {
        suggestion_offer(&suggestion, probe->variants[i].name);
    }
    const char *nearest = suggestion.nearest;
    return error_set(error, STATUS_USAGE, "unknown variant '%.*s': %s%s%ssee --list",
                     (int)(length < 100 ? length : 100), name, nearest ? "did you mean " : "", nearest ? nearest : "",
                     nearest ? "? " : "");
}

static enum status select_variants(struct selection *selection, const struct probe *probe, const char *names,
                                   struct error *error) {
    selection->all_variants = !names || strcmp(names, "all") == 0;
    if (selection->all_variants) {
        for (size_t i = 0; i < probe->variant_count; i++) {
            selection->variants[selection->variant_count++] = &probe->variants[i];
        }
        return STATUS_OK;
    }
    for (const char *at = names;; at++) {
        size_t length = strcspn(at, ",");
        const struct variant *variant = find_variant(probe, at, length);
        if (!variant) {
            return no_variant(probe, at, length, error);
        }
        bool repeated = false;
        for (size_t i = 0; i < selection->variant_count; i++) {
            repeated |= selection->variants[i] == variant;
        }
        if (!repeated) {
            selection->variants[selection->variant_count++] = variant;
        }
        at += length;
        if (*at == '\0') {
            return STATUS_OK;
        }
    }
}

// The length without ":0", because "cuda" names the first of CUDA's devices as "cuda:0" does.
static size_t length_without_first(const char *spec, size_t length) {
    return length > 2 && strncmp(spec + length - 2, ":0", 2) == 0 ? length - 2 : length;
}

// A real device is one, however often it is named. Simulated parts of one name are several, as multi-device needs them.
static bool is_selected(const struct selection *selection, const char *spec, size_t length) {
    const size_t wanted = length_without_first(spec, length);
    bool found = false;
    for (size_t i = 0; i < selection->spec_count && strncmp(spec, "sim:", 4) != 0; i++) {
        const char *selected = selection->specs[i];
        found |= length_without_first(selected, strlen(selected)) == wanted && strncmp(selected, spec, wanted) == 0;
    }
    return found;
}

static enum status add_spec(struct selection *selection, const char *spec, size_t length, struct error *error) {
    if (length == 0 || length >= SPEC_TEXT) {
        return error_set(error, STATUS_USAGE, "--device: '%.*s' is not a device: see --list-devices",
                         (int)(length < 100 ? length : 100), spec);
    }
    if (is_selected(selection, spec, length)) {
        return STATUS_OK;
    }
    if (selection->spec_count == SELECTION_DEVICES_MAX) {
        return error_set(error, STATUS_USAGE, "--device: more than %d devices: name fewer", SELECTION_DEVICES_MAX);
    }
    snprintf(selection->specs[selection->spec_count++], SPEC_TEXT, "%.*s", (int)length, spec);
    return STATUS_OK;
}

static enum status add_list(struct selection *selection, const char *list, struct error *error) {
    for (const char *at = list;; at++) {
        const size_t length = gpu_list_item(at);
        TRY(add_spec(selection, at, length, error));
        at += length;
        if (*at == '\0') {
            return STATUS_OK;
        }
    }
}

static enum status add_real_gpus(struct selection *selection, struct error *error) {
    static const enum backend_kind real[] = {BACKEND_CUDA, BACKEND_HIP};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        const struct backend *backend = backend_of(real[i]);
        uint32_t count = 0; // stays 0 where the backend cannot be used
        backend_count(backend, &count, NULL);
        for (uint32_t n = 0; n < count; n++) {
            char spec[SPEC_TEXT];
            snprintf(spec, sizeof spec, "%s:%u", backend->name, n);
            TRY(add_spec(selection, spec, strlen(spec), error));
        }
    }
    return STATUS_OK;
}

static enum status select_devices(struct selection *selection, const char *specs, struct error *error) {
    bool all = specs && strcmp(specs, "all") == 0;
    selection->default_devices = !specs || all;
    if (!selection->default_devices) {
        return add_list(selection, specs, error);
    }
    TRY(add_real_gpus(selection, error));
    if (all || selection->spec_count == 0) {
        TRY(add_list(selection, backend_of(BACKEND_SIM)->missing ? "cpu" : "cpu,sim:h200,sim:mi210", error));
    }
    return STATUS_OK;
}

enum status selection_make(struct selection *selection, const struct probe *probe, const char *variants,
                           const char *devices, struct error *error) {
    *selection = (struct selection){.variants = memory_zeros(probe->variant_count, sizeof(struct variant *))};
    TRY(select_variants(selection, probe, variants, error));
    return select_devices(selection, devices, error);
}

void selection_keep(struct selection *selection, const char *names) {
    size_t kept = 0;
    for (size_t i = 0; i < selection->variant_count && names; i++) {
        if (list_place(names, ',', selection->variants[i]->name) >= 0) {
            selection->variants[kept++] = selection->variants[i];
        }
    }
    selection->variant_count = names ? kept : selection->variant_count;
}

void selection_clear(struct selection *selection) {
    free(selection->variants);
    selection->variants = NULL;
}

// ---- The points of a sweep ----

struct option_row *points_options(const struct probe *probe, size_t sweeps) {
    struct option_row *options = memory_zeros(probe->parameter_count, sizeof *options);
    for (size_t i = 0; i < probe->parameter_count; i++) {
        const struct parameter *parameter = &probe->parameters[i];
        options[i] = (struct option_row){parameter->name,
                                         parameter->letter,
                                         parameter->dimensions ? OPTION_DIMENSIONS : OPTION_SWEEP,
                                         sweeps + i * sizeof(struct sweep),
                                         "LIST",
                                         parameter->help,
                                         parameter->min,
                                         parameter->max,
                                         0};
    }
    return options;
}

static enum status parse_defaults(struct sweep *sweep, const struct parameter *parameter, const char *text,
                                  struct error *error) {
    const uint64_t max = (uint64_t)parameter->max;
    return parameter->dimensions ? sweep_parse_dimensions(sweep, parameter->name, text, max, error)
                                 : sweep_parse(sweep, parameter->name, text, 0, max, error);
}

static void copy_sweep(struct sweep *to, const struct sweep *from) {
    to->values = memory_zeros(from->count, sizeof *to->values);
    memcpy(to->values, from->values, from->count * sizeof *to->values);
    to->count = from->count;
}

enum status points_prepare(struct run *run, const struct sweep given[PARAMETERS_MAX], struct error *error) {
    for (size_t i = 0; i < run->probe->parameter_count; i++) {
        const char *text = run->variant->defaults[i];
        if (text && given[i].count > 0) {
            copy_sweep(&run->sweeps[i], &given[i]);
        } else if (text) {
            run->defaulted[i] = true;
            TRY(parse_defaults(&run->sweeps[i], &run->probe->parameters[i], text, error));
        }
    }
    return STATUS_OK;
}

size_t point_count(const struct run *run) {
    size_t count = 1;
    for (size_t i = 0; i < run->probe->parameter_count; i++) {
        count *= run->sweeps[i].count ? run->sweeps[i].count : 1;
    }
    return count;
}

void point_indices(const struct run *run, size_t number, size_t indices[PARAMETERS_MAX]) {
    for (size_t i = run->probe->parameter_count; i-- > 0;) {
        const size_t count = run->sweeps[i].count ? run->sweeps[i].count : 1;
        indices[i] = number % count;
        number /= count;
    }
}

struct point point_at(const struct run *run, size_t number) {
    struct point point = {.variant = run->variant};
    size_t indices[PARAMETERS_MAX];
    point_indices(run, number, indices);
    for (size_t i = 0; i < run->probe->parameter_count; i++) {
        if (run->sweeps[i].count > 0) {
            point.values[i] = run->sweeps[i].values[indices[i]];
        }
    }
    return point;
}

bool point_skipped(const struct run *run, const struct point *point) {
    return run->variant->kind->skip && run->variant->kind->skip(run, point);
}

enum status point_check(const struct run *run, const struct point *point, struct error *error) {
    return run->variant->kind->check ? run->variant->kind->check(run, point, error) : STATUS_OK;
}

// ---- What a row says of its point ----

size_t parameter_column(const char *option, const char *column) {
    static const char *const ends[] = {"", "_bytes", "_pct"};
    size_t found = ROW_COLUMN_COUNT;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && found == ROW_COLUMN_COUNT; i++) {
        char name[ROW_TEXT];
        snprintf(name, sizeof name, "%s%s", column ? column : option, ends[i]);
        found = row_column_find(name);
    }
    return found;
}

static bool is_stated(const struct row *row, const char *option, const char *column) {
    char field[ROW_TEXT];
    const size_t number = parameter_column(option, column);
    return number < ROW_COLUMN_COUNT && *row_field(row, number, field);
}

static enum status append(struct row *row, const char *option, const char *value, struct error *error) {
    const size_t used = strlen(row->parameters), room = sizeof row->parameters - used;
    const int length = snprintf(row->parameters + used, room, "%s%s=%s", used ? " " : "", option, value);
    return length >= 0 && (size_t)length < room
               ? STATUS_OK
               : error_set(error, STATUS_FAILED, "the row has no room for its parameters: shorten the name of --%s",
                           option);
}

// ---- Parameters ----

static bool is_only_default(const struct parameter *parameter, const char *defaults, uint64_t value) {
    struct sweep sweep = {0};
    const bool only =
        parse_defaults(&sweep, parameter, defaults, NULL) == STATUS_OK && sweep.count == 1 && sweep.values[0] == value;
    sweep_clear(&sweep);
    return only;
}

static void format_value(char to[ROW_TEXT], const struct parameter *parameter, uint64_t value) {
    if (parameter->dimensions) {
        row_format_dimensions(to, (struct dimensions){(uint32_t)value, (uint32_t)(value >> 32), 1});
    } else {
        snprintf(to, ROW_TEXT, "%llu", (unsigned long long)value);
    }
}

static enum status describe_point(struct row *row, const struct run *run, struct error *error) {
    for (size_t i = 0; run->point && i < run->probe->parameter_count; i++) {
        const struct parameter *parameter = &run->probe->parameters[i];
        const char *defaults = run->variant->defaults[i];
        const uint64_t value = run->point->values[i];
        if (defaults && !is_stated(row, parameter->name, parameter->column) &&
            !is_only_default(parameter, defaults, value)) {
            char text[ROW_TEXT];
            format_value(text, parameter, value);
            TRY(append(row, parameter->name, text, error));
        }
    }
    return STATUS_OK;
}

// ---- Options ----

// The value of an option that takes a number or a choice. Returns false for other kinds, which say where bytes come
// from or go to, and without a value.
static bool format_option(char to[ROW_TEXT], const struct option_row *option, const void *session) {
    const void *place = (const char *)session + option->offset;
    const char *choice = "";
    uint64_t count;
    double real;
    to[0] = '\0';
    switch (option->kind) {
    case OPTION_CHOICE:
        memcpy(&choice, place, sizeof choice);
        snprintf(to, ROW_TEXT, "%s", choice ? choice : "");
        break;
    case OPTION_COUNT:
        memcpy(&count, place, sizeof count);
        snprintf(to, ROW_TEXT, "%llu", (unsigned long long)count);
        break;
    case OPTION_REAL:
        memcpy(&real, place, sizeof real);
        snprintf(to, ROW_TEXT, "%.15g", real);
        break;
    default:
        break;
    }
    return *to;
}

static bool uses_option(const struct run *run, const struct option_row *option) {
    return !run->probe->uses || run->probe->uses(run->variant, option);
}

static enum status describe_options(struct row *row, const struct run *run, struct error *error) {
    const struct probe *probe = run->probe;
    for (size_t i = 0; run->session && i < probe->option_count; i++) {
        const struct option_row *option = &probe->options[i];
        char value[ROW_TEXT], usual[ROW_TEXT] = "0"; // a session without defaults starts zeroed
        if (!uses_option(run, option) || !format_option(value, option, run->session)) {
            continue;
        }
        if (probe->session_defaults) {
            format_option(usual, option, probe->session_defaults);
        }
        if (strcmp(value, usual) != 0 && !is_stated(row, option->name, NULL)) {
            TRY(append(row, option->name, value, error));
        }
    }
    return STATUS_OK;
}

enum status parameters_describe(struct row *row, const struct run *run, struct error *error) {
    TRY(describe_point(row, run, error));
    return describe_options(row, run, error);
}

// A text that the command line gave is another one than the default's, even if equal.
bool option_is_given(const struct run *run, const struct option_row *option) {
    static const char none[sizeof(struct option_list)];
    const struct probe *probe = run->probe;
    const char *usual = probe->session_defaults ? (const char *)probe->session_defaults + option->offset : none;
    const size_t size = option->kind == OPTION_FLAG    ? sizeof(bool)
                        : option->kind == OPTION_REAL  ? sizeof(double)
                        : option->kind == OPTION_COUNT ? sizeof(uint64_t)
                                                       : sizeof(const char *);
    return memcmp((const char *)run->session + option->offset, usual, size) != 0;
}

static enum status refuse_unused(const char *name, struct error *error) {
    return error_set(error, STATUS_USAGE, "--%s: no chosen variant uses it on the chosen devices: leave it out", name);
}

enum status options_check_used(const struct run *runs, size_t count, const struct sweep given[PARAMETERS_MAX],
                               struct error *error) {
    const struct probe *probe = runs[0].probe;
    for (size_t i = 0; i < probe->parameter_count; i++) {
        bool used = given[i].count == 0;
        for (size_t r = 0; r < count; r++) {
            used |= runs[r].sweeps[i].count > 0;
        }
        if (!used) {
            return refuse_unused(probe->parameters[i].name, error);
        }
    }
    for (size_t i = 0; i < probe->option_count; i++) {
        bool used = !option_is_given(&runs[0], &probe->options[i]);
        for (size_t r = 0; r < count; r++) {
            used |= uses_option(&runs[r], &probe->options[i]);
        }
        if (!used) {
            return refuse_unused(probe->options[i].name, error);
        }
    }
    return STATUS_OK;
}

// ---- The order of the first round ----

// Whether a point of the run with this value is not skipped.
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

static bool matches(const struct telling *telling, const struct run *run, const struct point *point) {
    bool match = list_place(telling->variants, ',', run->variant->name) >= 0;
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
        items[i].stage = by_telling ? 2 * items[i].telling : 0;
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
static const double DEAR_SHARE = 0.4; // of the time that is left, for a point that is not the last
static const double LARGE = 6;        // times the least memory that a point so far needed anew
static const double LEAST_SAMPLING_S = 2e-3, MOST_SAMPLING_S = 15; // in a round
static const double USUAL_MIN_S = 0.5;                             // a point that is given so much time uses it
static const double REPEATED = 0.1; // of the samples that a point has, less would tell nothing

static double left_s(const struct plan *plan) {
    return plan->deadline_s - clock_s();
}

static size_t device_of(const struct plan *plan, const struct item *item) {
    return (size_t)(item->run->bench_device - plan->devices);
}

bool item_is_predicted(const struct item *item) {
    return run_info(item->run)->predicted;
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

// Returns how many points are not skipped, whether they are of the plan or not.
static size_t add_items(struct plan *plan, struct run *run) {
    const size_t count = point_count(run);
    const bool all = !plan->settings->headline;
    const struct point headline = all ? (struct point){0} : order_headline(run);
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        const struct point point = point_at(run, i);
        const bool skipped = point_skipped(run, &point);
        left += !skipped;
        if (!skipped && (all || memcmp(point.values, headline.values, sizeof point.values) == 0)) {
            plan->items = memory_room(plan->items, plan->count, sizeof *plan->items);
            plan->items[plan->count++] =
                (struct item){.run = run, .number = i, .asked = is_asked(plan->settings, run), .wide_pct = INFINITY};
        }
    }
    return left;
}

enum status plan_make(struct plan *plan, struct settings *settings, struct run *runs, size_t run_count,
                      struct bench_device *devices, size_t device_count, double started_s, struct error *error) {
    *plan = (struct plan){.settings = settings,
                          .devices = devices,
                          .device_count = device_count,
                          .turns = memory_zeros(device_count, sizeof *plan->turns),
                          .in_rounds = isfinite(settings->budget_s) && !settings->times_given && !settings->counting,
                          .deadline_s = started_s + MARGIN * settings->budget_s};
    size_t left = 0;
    for (size_t i = 0; i < run_count; i++) {
        runs[i].devices = devices; // what is skipped may depend on them
        runs[i].device_count = device_count;
        left += add_items(plan, &runs[i]);
    }
    if (left == 0) {
        return error_set(error, STATUS_USAGE,
                         "%s on %s: no point of this sweep can run there: give other values or more devices",
                         runs[0].variant->name, runs[0].bench_device->device->info.spec);
    }
    plan->order = memory_zeros(plan->count, sizeof *plan->order);
    plan->picks = memory_zeros(plan->count, sizeof *plan->picks);
    order_items(plan->items, plan->order, plan->count, isfinite(settings->budget_s));
    for (size_t i = 0; i < plan->count; i++) {
        plan->turns[device_of(plan, &plan->items[i])].untried++;
    }
    return STATUS_OK;
}

void plan_clear(struct plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        series_list_clear(&plan->items[i].kept);
        free(plan->items[i].rows);
        free(plan->items[i].predicted.rows);
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

// The first untried item of the device. There is one.
static struct item *first_of_device(struct plan *plan, size_t device) {
    struct turn *turn = &plan->turns[device];
    for (;; turn->next++) {
        if (turn->next == plan->count) {
            turn->next = 0;
            turn->stage++;
        }
        struct item *item = plan->order[turn->next];
        if (item->state == ITEM_UNTRIED && device_of(plan, item) == device && item->stage <= turn->stage) {
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

static struct point_cost cost_of(const struct item *item) {
    const struct point point = point_at(item->run, item->number);
    struct point_cost cost = {0};
    if (item->run->variant->kind->cost && !item_is_predicted(item)) {
        item->run->variant->kind->cost(item->run, &point, &cost);
    }
    return cost;
}

// Whether the user, who gave no budget, said how long a measurement lasts at least. Then the default budget is for what
// points take besides, or else they would be left out for what was asked for.
static bool leaves_samples_uncounted(const struct settings *settings) {
    return settings->asked_s > 0 && !settings->budget_given && !settings->headline;
}

static double known_cost_s(const struct plan *plan, const struct item *item) {
    const struct bench_rates *rates = &item->run->bench_device->rates;
    const struct point_cost cost = cost_of(item);
    const bool counted = plan->settings->samples > 0 && !leaves_samples_uncounted(plan->settings);
    const double rounds = counted ? (double)plan->settings->samples + 2 : (double)LEAST_ROUNDS;
    const double energy_s = plan->settings->energy && !item_is_predicted(item) ? ENERGY_S : 0;
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

static bool nothing_begun(const struct plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->items[i].state == ITEM_BEGUN || plan->items[i].state == ITEM_MEASURED) {
            return false;
        }
    }
    return true;
}

// However late it is, a program that was asked to measure something ends with a row.
static bool has_time(const struct plan *plan, const struct item *item) {
    const double left = left_s(plan);
    return isinf(left) || item->asked || (left > 0 && expected_s(plan, item) <= left) || nothing_begun(plan);
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
    item->sampled_before_s = item->run->bench_device->sampled_s;
    item->had_samples = series_list_samples(&item->kept);
}

// How long the first samples of a point may take. Where many points have little time, fewer of them with samples enough
// for an interval tell more than all with one sample.
static double first_sampling_s(const struct plan *plan, const struct item *item) {
    const struct turn *turn = &plan->turns[device_of(plan, item)];
    const double prepare_s = turn->measured > 0 ? turn->prepared_s / (double)turn->measured : 0;
    return fmax(FIRST_SHARE * share_of_point_s(plan, item), WORTHWHILE * prepare_s);
}

// A point that takes several times as long to prepare as those before it would take the time of several others. So
// would one that needs much memory, however fast the memory of others came: pages that the system has not had in use
// for long may take several times as long.
static bool is_dear(const struct plan *plan, const struct item *item) {
    const struct turn *turn = &plan->turns[device_of(plan, item)];
    return turn->measured > 0 && (known_cost_s(plan, item) > DEAR * turn->prepared_s / (double)turn->measured ||
                                  (turn->least_made > 0 && cost_of(item).make_bytes > LARGE * turn->least_made));
}

static size_t last_stage(const struct item *item) {
    return 2 * item->run->probe->telling_count + 1;
}

// Whether the point's turn comes in a later stage: after others that tell as much, or after all others. The points that
// tell most do not wait, because they are one chart.
static bool should_wait(const struct plan *plan, const struct item *item) {
    if (!plan->in_rounds || item->telling == 0 || item->stage == last_stage(item)) {
        return false;
    }
    return item->stage % 2 == 0 ? is_dear(plan, item) : known_cost_s(plan, item) > DEAR_SHARE * left_s(plan);
}

// Remembers the least new memory that a point needed, if the rate of memory matters on the device.
static void note_memory(struct plan *plan, const struct item *item) {
    struct turn *turn = &plan->turns[device_of(plan, item)];
    const double bytes = cost_of(item).make_bytes;
    if (item->run->bench_device->rates.make_s > 0 && bytes > 0 && (turn->least_made == 0 || bytes < turn->least_made)) {
        turn->least_made = bytes;
    }
}

static struct item *next_of_first_round(struct plan *plan) {
    for (struct item *item = next_untried(plan); item; item = next_untried(plan)) {
        if (has_time(plan, item)) {
            if (should_wait(plan, item)) {
                item->stage = item->stage % 2 == 0 ? item->stage + 1 : last_stage(item);
                continue;
            }
            note_memory(plan, item);
            set_sampling(plan, item, first_sampling_s(plan, item), FIRST_SAMPLES);
            item->state = ITEM_BEGUN;
            plan->turns[device_of(plan, item)].untried--;
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

void plan_done(struct plan *plan, struct item *item, double passed_s) {
    const bool more = series_list_samples(&item->kept) > item->had_samples;
    item->sampled_s = item->run->bench_device->sampled_s - item->sampled_before_s;
    item->prepare_s = passed_s - item->sampled_s;
    item->state = ITEM_MEASURED;
    item->rounds++;
    item->wide_pct = widest_pct(item);
    item->settled = !plan->in_rounds || item_is_predicted(item) || !more || item->wide_pct < 0 ||
                    (item->rounds > 1 && item->wide_pct <= plan->settings->noise_pct);
    if (leaves_samples_uncounted(plan->settings)) {
        plan->deadline_s += fmin(item->sampled_s, plan->settings->asked_s * fmax(1, (double)item->row_count));
    }
    struct turn *turn = &plan->turns[device_of(plan, item)];
    turn->used_s += passed_s;
    if (item->rounds == 1) {
        turn->prepared_s += item->prepare_s;
        turn->measured++;
    }
}

double plan_end_s(const struct plan *plan) {
    bool asked = leaves_samples_uncounted(plan->settings);
    for (size_t i = 0; i < plan->count; i++) {
        asked |= plan->items[i].asked;
    }
    return asked ? INFINITY : plan->deadline_s;
}

size_t plan_left(const struct plan *plan) {
    size_t untried = 0;
    for (size_t d = 0; d < plan->device_count; d++) {
        untried += plan->turns[d].untried;
    }
    return untried > 0 ? untried : plan->pick_count - plan->picked;
}

bool item_is_final(const struct item *item) {
    return item->state == ITEM_LEFT_OUT || (item->settled && !item->awaits_prediction);
}

size_t plan_left_out_count(const struct plan *plan) {
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        count += plan->items[i].state == ITEM_LEFT_OUT;
    }
    return count;
}
