// The rows of one side of a comparison, grouped by what ran.
#ifndef COMPARE_SIDE_H
#define COMPARE_SIDE_H

#include "compare/result.h"

// Numbers the occurrences of rows of one file that ran the same as far as the columns tell.
enum status rows_number(struct result *rows, size_t count, struct error *error);

// Rows of one side that ran the same on the same device, such as several runs'.
struct repeats {
    const struct result **rows;
    size_t count;
};

struct side {
    struct repeats *groups; // in the order of the rows
    size_t count;
    const struct result **rows; // what the groups point into
};

// Groups rows; rows may be in any order. The rows must stay where they are.
enum status side_make(struct side *side, const struct result *const *rows, size_t count, struct error *error);
void side_clear(struct side *side);

#endif
