#include "compare/side.h"

#include <stdlib.h>

#include "compare/row_table.h"

enum status rows_number(struct result *rows, size_t count, struct error *error) {
    struct row_table table;
    enum status status = row_table_make(&table, count, SAME_ALL, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        rows[i].occurrence = 0; // rows that are looked up have no number
        rows[i].occurrence = row_table_add(&table, &rows[i], i)->count - 1;
    }
    row_table_clear(&table);
    return status;
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

enum status side_make(struct side *side, const struct result *const *rows, size_t count, unsigned same,
                      struct error *error) {
    struct row_table table;
    *side = (struct side){calloc(count + 1, sizeof *side->groups), 0, calloc(count + 1, sizeof *side->rows), count};
    enum status status = side->groups && side->rows ? row_table_make(&table, count, same, error)
                                                    : error_set(error, STATUS_FAILED, "out of memory");
    if (status != STATUS_OK) {
        side_clear(side);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        row_table_add(&table, rows[i], i);
    }
    fill_groups(side, &table, rows, count);
    row_table_clear(&table);
    return STATUS_OK;
}

void side_clear(struct side *side) {
    free(side->groups);
    free(side->rows);
    *side = (struct side){0};
}
