#include "compare/join.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Rows that join must agree on this, besides the probe, the variant and the run without sizes.
enum {
    SAME_DEVICE = 1,
    SAME_SOURCE = 2,
    SAME_SIZES = 4,
    SAME_ALL = SAME_DEVICE | SAME_SOURCE | SAME_SIZES
};

static uint64_t hash_text(uint64_t hash, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) { // FNV-1a
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static size_t run_length(const struct result *row, unsigned same) {
    return same & SAME_SIZES ? strlen(row->run) : row->sizes_at;
}

static uint64_t hash_row(const struct result *row, unsigned same) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = hash_text(hash, row->probe, strlen(row->probe));
    hash = hash_text(hash, row->variant, strlen(row->variant));
    hash = hash_text(hash, row->run, run_length(row, same));
    return same & SAME_DEVICE ? hash_text(hash, row->device, strlen(row->device)) : hash;
}

static bool equal_rows(const struct result *a, const struct result *b, unsigned same) {
    const size_t length = run_length(a, same);
    return a->occurrence == b->occurrence && (!(same & SAME_SOURCE) || a->predicted == b->predicted) &&
           strcmp(a->probe, b->probe) == 0 && strcmp(a->variant, b->variant) == 0 && length == run_length(b, same) &&
           memcmp(a->run, b->run, length) == 0 && (!(same & SAME_DEVICE) || strcmp(a->device, b->device) == 0);
}

// A hash table of rows: equal rows share an entry.
struct entry {
    const struct result *row; // NULL: empty
    size_t first, count;      // number of the first of the equal rows, and of all of them
    size_t group;             // the group of these rows
};

struct table {
    struct entry *entries;
    size_t mask;
    unsigned same;
};

static enum status table_make(struct table *table, size_t rows, unsigned same, struct error *error) {
    size_t size = 16;
    while (size < 2 * rows) {
        size *= 2;
    }
    *table = (struct table){calloc(size, sizeof *table->entries), size - 1, same};
    return table->entries ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
}

// The entry of rows equal to this one, or the empty one where it belongs.
static struct entry *table_find(const struct table *table, const struct result *row) {
    size_t at = (size_t)hash_row(row, table->same) & table->mask;
    while (table->entries[at].row && !equal_rows(table->entries[at].row, row, table->same)) {
        at = (at + 1) & table->mask;
    }
    return &table->entries[at];
}

static struct entry *table_add(struct table *table, const struct result *row, size_t number) {
    struct entry *entry = table_find(table, row);
    if (!entry->row) {
        *entry = (struct entry){.row = row, .first = number};
    }
    entry->count++;
    return entry;
}

enum status rows_number(struct result *rows, size_t count, struct error *error) {
    struct table table;
    enum status status = table_make(&table, count, SAME_ALL, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        rows[i].occurrence = 0; // rows that are looked up have no number
        rows[i].occurrence = table_add(&table, &rows[i], i)->count - 1;
    }
    free(table.entries);
    return status;
}

// ---- The groups of a side ----

// Sorts rows into groups: counts them, assigns each group its range, then fills the ranges.
static void fill_groups(struct side *side, const struct table *table, const struct result *const *rows, size_t count) {
    size_t place = 0;
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = table_find(table, rows[i]);
        if (entry->first == i) {
            side->groups[side->count] = (struct repeats){side->rows + place, 0};
            place += entry->count;
            entry->group = side->count++;
        }
        struct repeats *group = &side->groups[entry->group];
        group->rows[group->count++] = rows[i];
    }
}

enum status side_make(struct side *side, const struct result *const *rows, size_t count, struct error *error) {
    struct table table;
    *side = (struct side){calloc(count + 1, sizeof *side->groups), 0, calloc(count + 1, sizeof *side->rows)};
    enum status status = side->groups && side->rows ? table_make(&table, count, SAME_ALL, error)
                                                    : error_set(error, STATUS_FAILED, "out of memory");
    if (status != STATUS_OK) {
        side_clear(side);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        table_add(&table, rows[i], i);
    }
    fill_groups(side, &table, rows, count);
    free(table.entries);
    return STATUS_OK;
}

void side_clear(struct side *side) {
    free(side->groups);
    free(side->rows);
    *side = (struct side){0};
}

// ---- The pairs ----

enum {
    UNJOINED = -1
};

// Joins the remaining groups that are equal in `same` and occur on both sides.
static enum status join_equal(long *partners, bool *taken, const struct side *a, const struct side *b, unsigned same,
                              struct error *error) {
    struct table in_a = {0}, in_b = {0};
    enum status status = table_make(&in_a, a->count, same, error);
    if (status == STATUS_OK) {
        status = table_make(&in_b, b->count, same, error);
    }
    for (size_t i = 0; i < a->count && status == STATUS_OK; i++) {
        if (!taken[i]) {
            table_add(&in_a, a->groups[i].rows[0], i);
        }
    }
    for (size_t i = 0; i < b->count && status == STATUS_OK; i++) {
        if (partners[i] == UNJOINED) {
            table_add(&in_b, b->groups[i].rows[0], i);
        }
    }
    for (size_t i = 0; i < b->count && status == STATUS_OK; i++) {
        const struct entry *found = table_find(&in_a, b->groups[i].rows[0]);
        if (partners[i] == UNJOINED && found->count == 1 && table_find(&in_b, b->groups[i].rows[0])->count == 1) {
            partners[i] = (long)found->first;
            taken[found->first] = true;
        }
    }
    free(in_a.entries);
    free(in_b.entries);
    return status;
}

static enum status find_partners(long *partners, bool *taken, const struct side *a, const struct side *b, bool across,
                                 struct error *error) {
    static const unsigned steps[] = {
        SAME_ALL, SAME_DEVICE | SAME_SIZES, SAME_SOURCE | SAME_SIZES, SAME_SIZES, SAME_SOURCE, 0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < b->count; i++) {
        partners[i] = UNJOINED;
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == STATUS_OK; i++) {
        if (across || steps[i] & SAME_DEVICE) {
            status = join_equal(partners, taken, a, b, steps[i], error);
        }
    }
    return status;
}

static void list(struct joined *joined, const struct side *a, const struct side *b, const long *partners,
                 const bool *taken) {
    for (size_t i = 0; i < b->count; i++) {
        if (partners[i] == UNJOINED) {
            joined->only_b[joined->only_b_count++] = &b->groups[i];
        } else {
            joined->pairs[joined->count++] = (struct pair){&a->groups[partners[i]], &b->groups[i]};
        }
    }
    for (size_t i = 0; i < a->count; i++) {
        if (!taken[i]) {
            joined->only_a[joined->only_a_count++] = &a->groups[i];
        }
    }
}

enum status join(struct joined *joined, const struct side *a, const struct side *b, bool across, struct error *error) {
    long *partners = calloc(b->count + 1, sizeof *partners);
    bool *taken = calloc(a->count + 1, sizeof *taken);
    *joined = (struct joined){.pairs = calloc(b->count + 1, sizeof *joined->pairs),
                              .only_a = calloc(a->count + 1, sizeof *joined->only_a),
                              .only_b = calloc(b->count + 1, sizeof *joined->only_b)};
    enum status status = partners && taken && joined->pairs && joined->only_a && joined->only_b
                             ? find_partners(partners, taken, a, b, across, error)
                             : error_set(error, STATUS_FAILED, "out of memory");
    if (status == STATUS_OK) {
        list(joined, a, b, partners, taken);
    }
    free(partners);
    free(taken);
    return status;
}

void joined_clear(struct joined *joined) {
    free(joined->pairs);
    free(joined->only_a);
    free(joined->only_b);
    *joined = (struct joined){0};
}
