// Selects the rows of a picture: only rows that differ in nothing but what the picture shows. The others are left out,
// and the picture says so.
//   - Rows of a picture agree on the chart's columns "same", and rows of a device also on those of "alike". The values
//   chosen are
//     those that most points of the picture have, and the largest of several.
//   - If rows still meet at one point and differ in another setting, the value is chosen that most points of their line
//   have. If
//     they differ in none, the last row counts.
//   - A device's picture shows the rows of its own file. A file of predicted rows lends measured rows those that were
//   computed
//     for the same settings. Nothing is lent to predicted rows, because the measured device's picture already has them.
#include "tools/report/charts/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/charts/columns.h"
#include "util/error.h"

// ---- What is left out ----

void drop(struct selection *selection, struct item *item, const char *column) {
    item->is_current = false;
    if (item->is_carried) { // the measured row that carries it counts for both
        return;
    }
    size_t i = 0;
    while (i < selection->drop_count && strcmp(selection->drops[i].column, column) != 0) {
        i++;
    }
    if (i == selection->drop_count) {
        selection->drops = memory_room(selection->drops, i, sizeof *selection->drops);
        selection->drops[selection->drop_count++] = (struct drop){.column = column};
    }
    struct drop *reason = &selection->drops[i];
    reason->count++;
    reason->predicted += item->source == PREDICTED;
    if (strcmp(column, "file") == 0) {
        names_number(&reason->values, item->table->path);
    } else if (strcmp(column, "repeated") != 0) {
        names_number(&reason->values, item_value(selection, item, column_number(selection, column)));
    }
}

void forget_drops(struct selection *selection) {
    for (size_t i = 0; i < selection->drop_count; i++) {
        names_clear(&selection->drops[i].values);
    }
    free(selection->drops);
    selection->drops = NULL;
    selection->drop_count = 0;
}

// ---- Settings that rows have in common ----

static bool is_near(const char *a, const char *b) {
    const double x = atof(a), y = atof(b);
    return strcmp(a, b) == 0 || (is_number_text(a) && is_number_text(b) && x <= 1.1 * y && y <= 1.1 * x);
}

// Computed values count as the same if they are near each other.
static bool agrees(const struct selection *selection, size_t column, const char *a, const char *b) {
    return strpbrk(column_name(selection, column), "*/") ? is_near(a, b) : strcmp(a, b) == 0;
}

// Some settings that rows share: a value for each of the columns, the points that have them, and the devices.
struct settings {
    const char **values;
    size_t points, devices;
    struct names seen;
};

struct ballot {
    struct settings *settings;
    size_t count;
};

static size_t *columns_of(const struct selection *selection, const struct words *names) {
    size_t *columns = memory_zeros(names->count, sizeof *columns);
    for (size_t i = 0; i < names->count; i++) {
        columns[i] = column_number(selection, names->words[i]);
    }
    return columns;
}

// The first of the columns in which the row differs from these values; NULL if it does in none.
static const char *differs_in(struct selection *selection, const struct item *item, const char *const *values,
                              const struct words *columns) {
    for (size_t i = 0; i < columns->count; i++) {
        const size_t column = column_number(selection, columns->words[i]);
        if (!agrees(selection, column, item_value(selection, item, column), values[i])) {
            return columns->words[i];
        }
    }
    return NULL;
}

static void vote(struct selection *selection, struct ballot *ballot, const struct item *item,
                 const struct words *columns) {
    size_t i = 0;
    while (i < ballot->count && differs_in(selection, item, ballot->settings[i].values, columns)) {
        i++;
    }
    if (i == ballot->count) {
        ballot->settings = memory_room(ballot->settings, i, sizeof *ballot->settings);
        ballot->settings[ballot->count++] =
            (struct settings){.values = memory_zeros(columns->count, sizeof *ballot->settings->values)};
        size_t *numbers = columns_of(selection, columns);
        for (size_t j = 0; j < columns->count; j++) {
            ballot->settings[i].values[j] = item_value(selection, item, numbers[j]);
        }
        free(numbers);
    }
    struct settings *settings = &ballot->settings[i];
    char name[48];
    size_t before = settings->seen.count;
    snprintf(name, sizeof name, "point %zu", item->point);
    names_number(&settings->seen, name);
    settings->points += settings->seen.count - before;
    before = settings->seen.count;
    snprintf(name, sizeof name, "device %zu", item->part);
    names_number(&settings->seen, name);
    settings->devices += settings->seen.count - before;
}

// Whether the first number in which they differ is larger.
static bool is_larger(const struct settings *a, const struct settings *b, size_t count) {
    size_t i = 0;
    while (i < count && strcmp(a->values[i], b->values[i]) == 0) {
        i++;
    }
    return i < count && atof(a->values[i]) > atof(b->values[i]);
}

// Those that most devices have, then most points, then the largest; NULL if there are none. To be freed.
static const char **elect(struct ballot *ballot, size_t count) {
    const struct settings *best = ballot->settings;
    for (size_t i = 1; i < ballot->count; i++) {
        const struct settings *one = &ballot->settings[i];
        const bool wins = one->devices != best->devices ? one->devices > best->devices
                          : one->points != best->points ? one->points > best->points
                                                        : is_larger(one, best, count);
        best = wins ? one : best;
    }
    const char **values = best ? best->values : NULL;
    for (size_t i = 0; i < ballot->count; i++) {
        names_clear(&ballot->settings[i].seen);
        if (&ballot->settings[i] != best) {
            free(ballot->settings[i].values);
        }
    }
    free(ballot->settings);
    *ballot = (struct ballot){0};
    return values;
}

// Leaves out the current rows that differ from these values.
static void hold(struct selection *selection, const char *const *values, const struct words *columns) {
    for (size_t i = 0; i < selection->item_count && values; i++) {
        struct item *item = &selection->items[i];
        const char *column = item->is_current ? differs_in(selection, item, values, columns) : NULL;
        if (column) {
            drop(selection, item, column);
        }
    }
}

// ---- One row at each point ----

static bool is_of_file(const struct item *item, size_t file) {
    return item->is_current && item->file == file;
}

static size_t *count_votes(struct selection *selection, size_t file, size_t column, struct names *names) {
    size_t *votes = memory_zeros(selection->item_count, sizeof *votes);
    for (size_t i = 0; i < selection->item_count; i++) {
        const struct item *item = &selection->items[i];
        if (is_of_file(item, file)) {
            char name[ROW_KEY];
            snprintf(name, sizeof name, "%zu\t%s", item->line, item_value(selection, item, column));
            votes[names_number(names, name)]++;
        }
    }
    return votes;
}

static size_t votes_for(const struct names *names, const size_t *votes, size_t line, const char *value) {
    char name[ROW_KEY];
    snprintf(name, sizeof name, "%zu\t%s", line, value);
    const size_t number = names_find(names, name);
    return number < names->count ? votes[number] : 0;
}

// Where rows of a point differ in the column, keeps those whose value most points of their line have.
static void keep_one_value(struct selection *selection, size_t file, size_t column) {
    const char **best = memory_zeros(selection->points.count, sizeof *best);
    bool *differs = memory_zeros(selection->points.count, sizeof *differs), found = false;
    for (size_t i = 0; i < selection->item_count; i++) {
        const struct item *item = &selection->items[i];
        if (is_of_file(item, file)) {
            const char *value = item_value(selection, item, column);
            const char **first = &best[item->point];
            *first = *first ? *first : value;
            const bool differ = strcmp(*first, value) != 0;
            differs[item->point] = differs[item->point] || differ;
            found = found || differ;
        }
    }
    struct names names = {0};
    size_t *votes = found ? count_votes(selection, file, column, &names) : NULL;
    for (size_t i = 0; i < selection->item_count && found; i++) {
        const struct item *item = &selection->items[i];
        if (is_of_file(item, file) && differs[item->point]) {
            const char *value = item_value(selection, item, column);
            const size_t own = votes_for(&names, votes, item->line, value),
                         others = votes_for(&names, votes, item->line, best[item->point]);
            if (own > others || (own == others && atof(value) > atof(best[item->point]))) {
                best[item->point] = value;
            }
        }
    }
    for (size_t i = 0; i < selection->item_count && found; i++) {
        struct item *item = &selection->items[i];
        if (is_of_file(item, file) && strcmp(item_value(selection, item, column), best[item->point]) != 0) {
            drop(selection, item, column_name(selection, column));
        }
    }
    names_clear(&names);
    free(votes);
    free(best);
    free(differs);
}

static void keep_one_row(struct selection *selection, size_t file) {
    for (size_t i = 0; i < selection->setting_count; i++) {
        keep_one_value(selection, file, selection->settings[i]);
    }
    struct item **last = memory_zeros(selection->points.count, sizeof *last);
    for (size_t i = 0; i < selection->item_count; i++) {
        struct item *item = &selection->items[i];
        if (is_of_file(item, file)) {
            if (last[item->point]) {
                drop(selection, last[item->point], "repeated");
            }
            last[item->point] = item;
        }
    }
    free(last);
}

// ---- Rows of another file ----

// In a chart of counts, measured rows repeat what predicted ones say. A chart of one source prefers measured rows.
static void keep_one_source(struct selection *selection) {
    const struct chart *chart = selection->chart;
    if (!selection->has_own[MEASURED] || !selection->has_own[PREDICTED] || (!chart->counts_all && !chart->one_source)) {
        return;
    }
    for (size_t i = 0; i < selection->item_count; i++) {
        struct item *item = &selection->items[i];
        if (item->is_current && chart->counts_all && item->source == MEASURED) {
            item->is_current = false;
        } else if (item->is_current && !chart->counts_all && item->source == PREDICTED) {
            drop(selection, item, "source");
        }
    }
}

// Rows of a device that represent all of its settings, for each of its series and variants.
struct own_rows {
    struct names series, seen;
    const struct item **items;
    size_t count;
};

static struct own_rows find_own_rows(struct selection *selection) {
    struct own_rows own = {0};
    for (size_t i = 0; i < selection->item_count; i++) {
        const struct item *item = &selection->items[i];
        if (item->is_current) {
            char key[ROW_KEY];
            names_number(&own.series, item_series(selection, item));
            int length = snprintf(key, sizeof key, "%s\t%s", item_series(selection, item),
                                  item_value(selection, item, COLUMN_VARIANT));
            for (size_t j = 0; j < selection->setting_count && length < (int)sizeof key; j++) {
                length += snprintf(key + length, sizeof key - (size_t)length, "\t%s",
                                   item_value(selection, item, selection->settings[j]));
            }
            const size_t before = own.seen.count;
            if (names_number(&own.seen, key) == before) {
                own.items = memory_room(own.items, own.count, sizeof *own.items);
                own.items[own.count++] = item;
            }
        }
    }
    return own;
}

static void own_rows_clear(struct own_rows *own) {
    names_clear(&own->series);
    names_clear(&own->seen);
    free(own->items);
}

// The first setting in which both rows have a value, and not nearly the same.
static const char *setting_between(struct selection *selection, const struct item *a, const struct item *b) {
    for (size_t i = 0; i < selection->setting_count; i++) {
        const char *x = item_value(selection, a, selection->settings[i]);
        const char *y = item_value(selection, b, selection->settings[i]);
        if (*x && *y && !is_near(x, y)) {
            return column_name(selection, selection->settings[i]);
        }
    }
    return NULL;
}

// The column in which a predicted row differs from all of the device's own rows of its series and variant; NULL if it
// is like one of them. If the variant was not measured, only the columns on which all rows agree are compared.
static const char *unlike(struct selection *selection, const struct item *item, const struct own_rows *own) {
    const char *differs = differs_in(selection, item, selection->held_key, &selection->chart->alike);
    const char *series = item_series(selection, item), *variant = item_value(selection, item, COLUMN_VARIANT);
    if (differs || names_find(&own->series, series) == own->series.count) {
        return differs ? differs : selection->chart->series;
    }
    for (size_t i = 0; i < own->count; i++) {
        if (strcmp(item_series(selection, own->items[i]), series) == 0 &&
            strcmp(item_value(selection, own->items[i], COLUMN_VARIANT), variant) == 0) {
            differs = setting_between(selection, item, own->items[i]);
            if (!differs) {
                return NULL;
            }
        }
    }
    return differs;
}

static bool may_be_lent(const struct item *item, size_t part, size_t file) {
    return item->is_shown && item->part == part && item->file != file && item->source == PREDICTED;
}

// The first other file with predicted rows of the device that are like its own, else the first with any.
static size_t lender_of(struct selection *selection, size_t part, size_t file, const struct own_rows *own) {
    size_t found = (size_t)NOWHERE;
    for (size_t i = 0; i < selection->item_count; i++) {
        const struct item *item = &selection->items[i];
        if (may_be_lent(item, part, file)) {
            found = found == (size_t)NOWHERE ? item->file : found;
            if (!unlike(selection, item, own)) {
                return item->file;
            }
        }
    }
    return found;
}

// Adds another file's predicted rows of a device that is measured in this file.
static void lend(struct selection *selection, size_t part, size_t file) {
    if (!selection->has_own[MEASURED] || selection->has_own[PREDICTED] || selection->chart->one_source ||
        selection->chart->counts_all) {
        return;
    }
    struct own_rows own = find_own_rows(selection);
    const size_t lender = lender_of(selection, part, file, &own);
    for (size_t i = 0; i < selection->item_count; i++) {
        struct item *item = &selection->items[i];
        if (may_be_lent(item, part, file) && item->file == lender) {
            const char *column = unlike(selection, item, &own);
            if (column) {
                drop(selection, item, column);
            } else {
                item->is_current = true;
            }
        }
    }
    own_rows_clear(&own);
    keep_one_row(selection, lender);
}

// ---- Devices ----

static void find_own_sources(struct selection *selection) {
    selection->has_own[MEASURED] = selection->has_own[PREDICTED] = false;
    for (size_t i = 0; i < selection->item_count; i++) {
        const struct item *item = &selection->items[i];
        if (item->is_current) {
            selection->has_own[item->source] = true;
        }
    }
}

void keep_device(struct selection *selection, size_t part, size_t file, const char *const *same) {
    const struct words *alike = &selection->chart->alike;
    struct ballot ballot = {0};
    for (size_t i = 0; i < selection->item_count; i++) {
        struct item *item = &selection->items[i];
        item->is_current = item->is_shown && item->part == part && item->file == file;
    }
    hold(selection, same, &selection->chart->same);
    find_own_sources(selection);
    keep_one_source(selection);
    for (size_t i = 0; i < selection->item_count; i++) {
        if (selection->items[i].is_current) {
            vote(selection, &ballot, &selection->items[i], alike);
        }
    }
    selection->held_key = elect(&ballot, alike->count);
    hold(selection, selection->held_key, alike);
    keep_one_row(selection, file);
    if (selection->held_key) {
        lend(selection, part, file);
    }
    free(selection->held_key);
    selection->held_key = NULL;
    for (size_t i = 0; i < selection->item_count; i++) {
        selection->items[i].is_kept = selection->items[i].is_kept || selection->items[i].is_current;
    }
}

// The file whose rows represent a device in a comparison: an own one before those beside it, one with measured rows
// before predicted ones, then the one with the most, then the first.
static size_t best_file(struct selection *selection, size_t part, const char *const *same) {
    size_t *ranks = memory_zeros(selection->table_count, sizeof *ranks), best = (size_t)NOWHERE;
    for (size_t i = 0; i < selection->item_count; i++) {
        const struct item *item = &selection->items[i];
        if (item->is_shown && item->part == part && !differs_in(selection, item, same, &selection->chart->same)) {
            const size_t weight = item->source == MEASURED ? 1000000 : 1;
            ranks[item->file] += item->file < selection->own_table_count ? 1000 * weight : weight;
        }
    }
    for (size_t i = 0; i < selection->table_count; i++) {
        if (ranks[i] > 0 && (best == (size_t)NOWHERE || ranks[i] > ranks[best])) {
            best = i;
        }
    }
    free(ranks);
    return best;
}

// Leaves out the measured rows of a device that another file represents.
static void drop_other_files(struct selection *selection, size_t part, size_t file) {
    for (size_t i = 0; i < selection->item_count; i++) {
        struct item *item = &selection->items[i];
        if (item->is_shown && item->part == part && item->file != file && item->source == MEASURED) {
            drop(selection, item, "file");
        }
    }
}

void keep_all_devices(struct selection *selection) {
    struct ballot ballot = {0};
    for (size_t i = 0; i < selection->item_count; i++) {
        const struct item *item = &selection->items[i];
        if (item->is_shown && item->source != PUBLISHED) {
            vote(selection, &ballot, item, &selection->chart->same);
        }
    }
    const char **same = elect(&ballot, selection->chart->same.count);
    for (size_t i = 0; i < selection->part_count && same; i++) {
        const size_t file = best_file(selection, i, same);
        keep_device(selection, i, file, same);
        drop_other_files(selection, i, file);
    }
    free(same);
}
