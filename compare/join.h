// Finds the rows of two sides that ran the same.
#ifndef COMPARE_JOIN_H
#define COMPARE_JOIN_H

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

struct pair {
    const struct repeats *a, *b;
};

struct joined {
    struct pair *pairs; // in the order of side B
    size_t count;
    const struct repeats **only_a, **only_b;
    size_t only_a_count, only_b_count;
};

// Rows of the same device join first, of the same source before those of another. With `across`, rows of different
// devices join, too, and if their sizes differ because a probe fitted them to its device, without them. No row joins
// twice.
enum status join(struct joined *joined, const struct side *a, const struct side *b, bool across, struct error *error);
void joined_clear(struct joined *joined);

#endif
