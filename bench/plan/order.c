#include "bench/plan/order.h"

#include <stdlib.h>
#include <string.h>

#include "bench/points.h"

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

struct point order_headline(const struct run *run) {
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

void order_items(struct item *items, struct item **order, size_t count, bool by_telling) {
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
