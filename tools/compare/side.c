#include "tools/compare/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

// ---- Rows ----

const char *reason_name(enum reason reason) {
    static const char *const names[REASONS] = {
        [REASON_NONE] = "",
        [REASON_UNVERIFIED] = "unverified",
        [REASON_THROTTLED] = "throttled",
        [REASON_NOISY] = "noisy",
        [REASON_ABOVE_PEAK] = "above-peak",
        [REASON_WAITED] = "waited",
        [REASON_CORRELATED] = "correlated",
        [REASON_DRIFT] = "drift",
        [REASON_MODES] = "modes",
        [REASON_SAMPLES] = "samples",
        [REASON_CLOCK] = "clock",
        [REASON_FIGURE] = "figure",
        [REASON_SPREAD] = "spread",
        [REASON_RUNS] = "runs",
        [REASON_ORIGIN] = "origin",
        [REASON_PREDICTION] = "prediction",
    };
    return names[reason];
}

const char *source_name(enum source source) {
    static const char *const names[SOURCES] = {"measured", "predicted", "published"};
    return names[source];
}

double result_median_variance(double variance, double samples) {
    return 1.2533 * 1.2533 * variance / samples;
}

static double known(double number) {
    return isnan(number) ? 0 : number;
}

// Sets variance and freedom. A few outliers raise the deviation and not the quartiles, which are 1.349 deviations
// apart, so then these count, with less freedom. Two groups of samples raise the quartiles more.
static void set_spread(struct result *result, double noise, double quartiles_apart) {
    static const double OUTLIERS = 1.5;    // in deviations of the quartiles: a larger ratio is not chance
    static const double GROUPS = 1.3;      // and the other way round
    static const double EFFICIENCY = 0.37; // of the quartiles: their share of the deviation's degrees of freedom
    const double by_quartiles = quartiles_apart / 1.349;
    const bool has_outliers = noise > OUTLIERS * by_quartiles, has_groups = by_quartiles > GROUPS * noise;
    const double deviation = has_outliers || has_groups ? by_quartiles : noise;
    result->variance = deviation * deviation;
    result->freedom = (result->samples - 1) * (has_outliers ? EFFICIENCY : 1);
    if (result->source != SOURCE_MEASURED) {
        result->variance = 0;
        result->freedom = INFINITY;
    }
}

void result_set_samples(struct result *result, const struct samples *s) {
    const double median = result->figures[FIGURE_TIME];
    result->samples = isnan(s->effective) ? s->taken : fmin(s->taken, s->effective);
    result->correlated = 2 * result->samples < s->taken;
    result->fastest = median / s->shortest;
    result->reach = known((s->high - s->low) / 2 / median);
    result->drift = known(fabs(s->drift_pct) / 100);
    result->modes = known(s->modes_pct / 100);
    set_spread(result, s->noise_pct / 100, (s->upper - s->lower) / median);
}

// ---- The table ----

static uint64_t hash_text(uint64_t hash, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) { // FNV-1a
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static size_t run_length(const struct result *row, unsigned same) {
    return same & SAME_SIZES ? strlen(row->run) : same & SAME_RUN ? row->sizes_at : 0;
}

static uint64_t hash_row(const struct result *row, unsigned same) {
    const size_t number = same & SAME_RUN ? row->occurrence : 0;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = hash_text(hash, row->probe, strlen(row->probe));
    hash = hash_text(hash, row->variant, strlen(row->variant));
    hash = hash_text(hash, row->run, run_length(row, same));
    hash = hash_text(hash, (const char *)&number, sizeof number);
    return same & SAME_DEVICE ? hash_text(hash, row->device, strlen(row->device)) : hash;
}

bool rows_equal(const struct result *a, const struct result *b, unsigned same) {
    const size_t length = run_length(a, same);
    return (!(same & SAME_RUN) || (a->occurrence == b->occurrence && a->alike == b->alike)) &&
           (!(same & SAME_SOURCE) || a->source == b->source) && strcmp(a->probe, b->probe) == 0 &&
           strcmp(a->variant, b->variant) == 0 && length == run_length(b, same) &&
           memcmp(a->run, b->run, length) == 0 && (!(same & SAME_DEVICE) || strcmp(a->device, b->device) == 0);
}

struct row_table row_table_make(size_t rows, unsigned same) {
    size_t size = 16;
    while (size < 2 * rows) {
        size *= 2;
    }
    return (struct row_table){memory_zeros(size, sizeof(struct row_entry)), size - 1, same};
}

struct row_entry *row_table_find(const struct row_table *table, const struct result *row) {
    size_t at = (size_t)hash_row(row, table->same) & table->mask;
    while (table->entries[at].row && !rows_equal(table->entries[at].row, row, table->same)) {
        at = (at + 1) & table->mask;
    }
    return &table->entries[at];
}

struct row_entry *row_table_add(struct row_table *table, const struct result *row, size_t number) {
    struct row_entry *entry = row_table_find(table, row);
    if (!entry->row) {
        *entry = (struct row_entry){.row = row, .first = number};
    }
    entry->count++;
    return entry;
}

void row_table_clear(struct row_table *table) {
    free(table->entries);
    *table = (struct row_table){0};
}

// ---- Groups ----

void rows_number(struct result *rows, size_t count) {
    struct row_table table = row_table_make(count, SAME_ALL);
    for (size_t i = 0; i < count; i++) {
        rows[i].occurrence = 0; // rows that are looked up have no number
        rows[i].alike = 0;
        rows[i].occurrence = row_table_add(&table, &rows[i], i)->count - 1;
    }
    for (size_t i = count; i-- > 0;) { // the first of alike rows last, as the table holds it
        struct result looked_up = rows[i];
        looked_up.occurrence = 0;
        rows[i].alike = row_table_find(&table, &looked_up)->count;
    }
    row_table_clear(&table);
}

// Sorts rows into groups: counts them, assigns each group its range, then fills the ranges.
static void fill_groups(struct side *side, const struct row_table *table, const struct result *const *rows,
                        size_t count) {
    size_t place = 0;
    for (size_t i = 0; i < count; i++) {
        struct row_entry *entry = row_table_find(table, rows[i]);
        if (entry->first == i) {
            side->groups[side->count] = (struct repeats){side->rows + place, 0};
            place += entry->count;
            entry->group = side->count++;
        }
        struct repeats *group = &side->groups[entry->group];
        group->rows[group->count++] = rows[i];
    }
}

struct side side_make(const struct result *const *rows, size_t count, unsigned same) {
    struct side side = {.groups = memory_zeros(count, sizeof *side.groups),
                        .rows = memory_zeros(count, sizeof *side.rows),
                        .row_count = count};
    struct row_table table = row_table_make(count, same);
    for (size_t i = 0; i < count; i++) {
        row_table_add(&table, rows[i], i);
    }
    fill_groups(&side, &table, rows, count);
    row_table_clear(&table);
    return side;
}

void side_clear(struct side *side) {
    free(side->groups);
    free(side->rows);
    *side = (struct side){0};
}
