// Finds the rows of two sides that ran the same.
#ifndef TOOLS_COMPARE_JOIN_H
#define TOOLS_COMPARE_JOIN_H

#include "tools/compare/side.h"
#include "util/error.h"

struct pair {
    const struct repeats *a, *b;
};

struct joined {
    struct pair *pairs; // device by device, in the order of side B
    size_t count;
    size_t by_less;             // pairs of rows of files with different columns, which join by those that both have
    uint64_t unknown;           // the key columns that one file of such a pair lacks: bit N is number N
    struct side only_a, only_b; // one row of each of the groups left, by kind
};

// Rows of the same device join, of the same source before those of another. With `across`, which asks that one side has
// one device only, its rows side join those of each device of the other, and if their sizes differ because a probe
// fitted them to its device, without them. A point of a curve that another device or a publication has joins the
// nearest. What is left of files of which one lacks columns joins by the columns that both have. No row
// joins two of one device.
enum status join(struct joined *joined, const struct side *a, const struct side *b, bool across, struct error *error);
void joined_clear(struct joined *joined);

#endif
