// The order of a picture's series and rows, the positions of an x that is not a number, and where lines end.
#include "tools/report/charts/arrange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/charts/columns.h"
#include "util/error.h"

static const double GAP =
    2.5; // so that a single row may lack, also where steps differ as those of 4, 5, 6, 7 and 8 KiB do

// ---- Positions ----

static bool is_yardstick(const struct selection *selection, const char *x) {
    return words_have(&selection->chart->yardsticks, x);
}

// Gives the name the position after `behind`, which is 0 for the first one.
static void insert_position(struct selection *selection, size_t name, size_t behind) {
    for (size_t i = 0; i < selection->x_names.count; i++) {
        selection->x_positions[i] += selection->x_positions[i] > behind;
    }
    selection->x_positions[name] = behind + 1;
    selection->bars++;
}

// If some x is not a number, gives all of them positions in the order of the files. Yardsticks come last.
static void find_positions(struct selection *selection) {
    const struct item *last = NULL;
    size_t behind = 0;
    names_clear(&selection->x_names);
    free(selection->x_positions);
    selection->x_positions = NULL;
    selection->x_is_name = false;
    selection->bars = 0;
    for (size_t i = 0; i < selection->item_count; i++) {
        const struct item *item = &selection->items[i];
        selection->x_is_name =
            selection->x_is_name || (item->is_kept && !is_number_text(item_value(selection, item, selection->x)));
    }
    if (!selection->x_is_name) {
        return;
    }
    selection->x_positions =
        memory_zeros(selection->item_count + selection->chart->yardsticks.count, sizeof *selection->x_positions);
    for (size_t i = 0; i < selection->item_count; i++) {
        const struct item *item = &selection->items[i];
        const char *x = item->is_kept ? item_value(selection, item, selection->x) : "";
        if (item->is_kept && item->source != PUBLISHED && !is_yardstick(selection, x)) {
            behind = last && item->file == last->file && item->part == last->part ? behind : 0;
            const size_t name = names_number(&selection->x_names, x);
            if (selection->x_positions[name] == 0) {
                insert_position(selection, name, behind);
            }
            behind = selection->x_positions[name];
            last = item;
        }
    }
    for (size_t i = 0; i < selection->chart->yardsticks.count; i++) {
        const size_t name = names_number(&selection->x_names, selection->chart->yardsticks.words[i]);
        selection->x_positions[name] = selection->bars + i + 1;
    }
}

// A row's x, as a position or as the number; NAN if it has none.
static double x_of(struct selection *selection, const struct item *item) {
    const char *text = item_value(selection, item, selection->x);
    if (!selection->x_is_name) {
        return atof(text);
    }
    const size_t name = names_find(&selection->x_names, text);
    return name < selection->x_names.count ? (double)selection->x_positions[name] : NAN;
}

// ---- Series ----

struct ranked {
    const char *name;
    char *rank;
};

static int compare_ranks(const void *a, const void *b) {
    return strcmp(((const struct ranked *)a)->rank, ((const struct ranked *)b)->rank);
}

// Groups come as the chart lists them, devices by vendor and name, variants as the file has them, anything else by
// value.
static char *rank_of(const struct selection *selection, const char *name, size_t found) {
    const struct chart *chart = selection->chart;
    double number = atof(name);
    if (strcmp(chart->series, "device") == 0) {
        for (size_t i = 0; i < selection->part_count; i++) {
            if (strcmp(selection->parts[i].id, name) == 0) {
                return memory_format("%020.6f", (double)i);
            }
        }
    }
    bool is_group = false;
    for (size_t i = 0; i < chart->groups.count; i++) {
        if (strcmp(chart->groups.choices[i].name, name) == 0) {
            number = (double)i;
            is_group = true;
        }
    }
    if (strcmp(chart->series, "variant") == 0 && !is_group) {
        number = (double)found;
        is_group = true;
    }
    return is_group || number > 0 || number < 0 ? memory_format("%020.6f", number) : memory_text(name, strlen(name));
}

static void order_series(struct selection *selection, const struct names *found, struct notes *notes) {
    struct ranked *ranked = memory_zeros(found->count, sizeof *ranked);
    for (size_t i = 0; i < found->count; i++) {
        ranked[i] = (struct ranked){found->texts[i], rank_of(selection, found->texts[i], i)};
    }
    qsort(ranked, found->count, sizeof *ranked, compare_ranks);
    selection->series_found = found->count;
    selection->series_count = found->count < SERIES_MAX ? found->count : SERIES_MAX;
    for (size_t i = 0; i < found->count; i++) {
        if (i < selection->series_count) {
            selection->series_names[i] = keep_text(selection, ranked[i].name);
        }
        free(ranked[i].rank);
    }
    free(ranked);
    if (found->count > SERIES_MAX) {
        notes_add(notes, selection->chart,
                  memory_format("shows the first %d of %zu: the %s column has too many values", SERIES_MAX,
                                found->count, selection->chart->series));
    }
}

// The series of a row, counted from 0; series_count if it is beyond what is shown.
static size_t series_of(struct selection *selection, const struct item *item) {
    const char *name = item_series(selection, item);
    size_t i = 0;
    while (i < selection->series_count && strcmp(selection->series_names[i], name) != 0) {
        i++;
    }
    return i;
}

// ---- Gaps ----

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The shorter of the steps beside the i-th.
static double beside(const double *steps, size_t count, size_t i) {
    return i == 0 || (i + 1 < count && steps[i + 1] < steps[i - 1]) ? steps[i + 1] : steps[i - 1];
}

// Where a line over a sweep must not run on, because rows lack: one would read the figures between as computed. Sweeps
// go by sums or by factors, so a gap is long as a difference and as a factor. It is long beside the shorter of its
// neighbours and, as a factor, beside the usual one. So a sparse stretch stays a line.
static void find_gaps_of(struct item **members, size_t count) {
    double *differences = memory_zeros(count, sizeof *differences), *factors = memory_zeros(count, sizeof *factors);
    double *sorted = memory_zeros(count, sizeof *sorted);
    struct item **behind = memory_zeros(count, sizeof *behind);
    size_t steps = 0;
    for (size_t i = 1; i < count; i++) {
        const double from = members[i - 1]->positions[0], to = members[i]->positions[0];
        if (to > from) {
            behind[steps] = members[i];
            differences[steps] = to - from;
            factors[steps++] = from > 0 ? log2(to / from) : 1e9;
        }
    }
    for (size_t i = 0; i < steps; i++) {
        sorted[i] = factors[i];
    }
    qsort(sorted, steps, sizeof *sorted, compare_numbers);
    for (size_t i = 0; i < steps && steps > 1; i++) {
        behind[i]->after_gap = factors[i] > GAP * sorted[(steps + 1) / 2 - 1] &&
                               factors[i] > GAP * beside(factors, steps, i) &&
                               differences[i] > GAP * beside(differences, steps, i);
    }
    free(differences);
    free(factors);
    free(sorted);
    free(behind);
}

// Bandwidths on the x axis are no sweep.
static void find_gaps(struct selection *selection, struct item **picked) {
    const char *x = column_name(selection, selection->x);
    const size_t length = strlen(x);
    const bool is_sweep = !selection->x_is_name && selection->chart->rows.count == 1 &&
                          !(length > 5 && strcmp(x + length - 5, "_gb_s") == 0);
    struct item **line = memory_zeros(selection->picked_count, sizeof *line);
    for (size_t i = 0; i < selection->picked_count; i++) {
        picked[i]->after_gap = false;
    }
    for (size_t series = 0; series < selection->series_count && is_sweep; series++) {
        for (enum source source = MEASURED; source < SOURCES; source++) {
            size_t count = 0;
            for (size_t i = 0; i < selection->picked_count; i++) {
                if (picked[i]->series == series && item_origin(selection, picked[i]) == source) {
                    line[count++] = picked[i];
                }
            }
            find_gaps_of(line, count);
        }
    }
    free(line);
}

// ---- The picture ----

static int compare_items(const void *a, const void *b) {
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    if (x->series != y->series) {
        return x->series < y->series ? -1 : 1;
    }
    for (size_t i = 0; i < POSITIONS_MAX; i++) {
        const int order = compare_numbers(&x->positions[i], &y->positions[i]);
        if (order != 0) {
            return order;
        }
    }
    return x < y ? -1 : x > y; // the order of the files
}

static void place(struct selection *selection, struct item *item) {
    const size_t last = selection->chart->rows.count - 1;
    memset(item->positions, 0, sizeof item->positions);
    for (size_t i = 0; i < last; i++) {
        item->positions[i] = atof(item_value(selection, item, selection->rows[i]));
    }
    item->positions[last] = x_of(selection, item);
    item->series = series_of(selection, item);
}

// Leaves out rows without a value or without a place, such as a published figure of a variant that this device did not
// run. Counts the different x of the others and names their series.
static size_t count_kept(struct selection *selection, struct names *series) {
    struct names xs = {0};
    selection->own_count = 0;
    for (size_t i = 0; i < selection->item_count; i++) {
        struct item *item = &selection->items[i];
        const double x = item->is_kept ? x_of(selection, item) : NAN;
        item->is_kept = !isnan(x);
        if (item->is_kept) {
            names_number(series, item_series(selection, item));
        }
        if (item->is_kept && item->source != PUBLISHED &&
            !is_yardstick(selection, item_value(selection, item, selection->x))) {
            char text[32];
            snprintf(text, sizeof text, "%.17g", x);
            names_number(&xs, text);
            selection->own_count++;
        }
    }
    const size_t different = xs.count;
    names_clear(&xs);
    return different;
}

size_t arrange(struct selection *selection, struct notes *notes) {
    struct names series = {0};
    find_references(selection);
    for (size_t i = 0; i < selection->item_count; i++) {
        struct item *item = &selection->items[i];
        item->is_kept = item->is_kept && *item_value(selection, item, selection->y);
    }
    find_positions(selection);
    const size_t different = count_kept(selection, &series);
    order_series(selection, &series, notes);
    names_clear(&series);
    struct item **picked = memory_zeros(selection->item_count, sizeof *picked);
    selection->picked_count = 0;
    for (size_t i = 0; i < selection->item_count; i++) {
        struct item *item = &selection->items[i];
        if (item->is_kept) {
            place(selection, item);
        }
        if (item->is_kept && item->series < selection->series_count) {
            picked[selection->picked_count++] = item;
        }
    }
    qsort(picked, selection->picked_count, sizeof *picked, compare_items);
    find_gaps(selection, picked);
    free(selection->picked);
    selection->picked = picked;
    return different;
}
