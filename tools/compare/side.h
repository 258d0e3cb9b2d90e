// The rows of one side of a comparison: a hash table of rows that agree in some of what was run, and groups of them.
#ifndef TOOLS_COMPARE_SIDE_H
#define TOOLS_COMPARE_SIDE_H

#include "tools/compare/result.h"

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

// ---- Groups ----

// Numbers the occurrences of rows of one file that ran the same as far as the columns tell.
enum status rows_number(struct result *rows, size_t count, struct error *error);

// Rows of one group, such as several runs' of the same.
struct repeats {
    const struct result **rows;
    size_t count;
};

struct side {
    struct repeats *groups; // in the order of their first rows
    size_t count;
    const struct result **rows; // all rows, group by group
    size_t row_count;
};

// Groups rows that are equal in `same`. They may come in any order, and must stay where they are.
enum status side_make(struct side *side, const struct result *const *rows, size_t count, unsigned same,
                      struct error *error);
void side_clear(struct side *side);

#endif
