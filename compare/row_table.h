// A hash table of rows that ran the same.
#ifndef COMPARE_ROW_TABLE_H
#define COMPARE_ROW_TABLE_H

#include "compare/result.h"

// Rows that join must agree on this, besides the probe, the variant and the run without sizes.
enum {
    SAME_DEVICE = 1,
    SAME_SOURCE = 2,
    SAME_SIZES = 4,
    SAME_ALL = SAME_DEVICE | SAME_SOURCE | SAME_SIZES
};

// Equal rows share an entry.
struct row_entry {
    const struct result *row; // NULL: empty
    size_t first, count;      // number of the first of the equal rows, and of all of them
    size_t group;             // the group of these rows
};

struct row_table {
    struct row_entry *entries;
    size_t mask;
    unsigned same;
};

enum status row_table_make(struct row_table *table, size_t rows, unsigned same, struct error *error);

// The entry of rows equal to this one, or the empty one where it belongs.
struct row_entry *row_table_find(const struct row_table *table, const struct result *row);
struct row_entry *row_table_add(struct row_table *table, const struct result *row, size_t number);
void row_table_clear(struct row_table *table);

#endif
