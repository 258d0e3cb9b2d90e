// The rows of one side of a comparison, in groups.
#ifndef COMPARE_SIDE_H
#define COMPARE_SIDE_H

#include "compare/result.h"

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

// Groups rows that are equal in `same` (row_table.h). They may come in any order, and must stay where they are.
enum status side_make(struct side *side, const struct result *const *rows, size_t count, unsigned same,
                      struct error *error);
void side_clear(struct side *side);

#endif
