// A hash table of rows that agree in some of what was run.
#ifndef COMPARE_ROW_TABLE_H
#define COMPARE_ROW_TABLE_H

#include "compare/result.h"

// What equal rows must agree on, besides the probe and the variant.
enum {
    SAME_DEVICE = 1,
    SAME_SOURCE = 2,
    SAME_RUN = 4, // without sizes
    SAME_SIZES = 8,
    SAME_KIND = SAME_DEVICE | SAME_SOURCE,
    SAME_ALL = SAME_KIND | SAME_RUN | SAME_SIZES
};

// Equal rows share an entry.
struct row_entry {
    const struct result *row; // NULL: empty
    size_t first, count;      // number of the first of the equal rows, and of all of them
    size_t group;             // the caller's number for these rows
};

struct row_table {
    struct row_entry *entries;
    size_t mask;
    unsigned same;
};

bool rows_equal(const struct result *a, const struct result *b, unsigned same);

enum status row_table_make(struct row_table *table, size_t rows, unsigned same, struct error *error);

// The entry of rows equal to this one, or the empty one where it belongs.
struct row_entry *row_table_find(const struct row_table *table, const struct result *row);
struct row_entry *row_table_add(struct row_table *table, const struct result *row, size_t number);
void row_table_clear(struct row_table *table);

#endif
