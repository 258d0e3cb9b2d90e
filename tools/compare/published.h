// Tables of figures that others published (results/published/README.md), as rows of bankshot.
#ifndef TOOLS_COMPARE_PUBLISHED_H
#define TOOLS_COMPARE_PUBLISHED_H

#include "util/csv.h"

enum {
    PUBLISHED_RULES_MAX = 12
};

// A table whose header was read: the places of the columns that its rules take.
struct published {
    const struct published_table *table;
    size_t from[PUBLISHED_RULES_MAX], over[PUBLISHED_RULES_MAX];
};

// Whether the file has the name and the columns of a published table.
bool published_find(struct published *published, const struct csv_reader *header);

// Reads the other rows and writes them as bankshot's, with the source `published` and a header. STATUS_USAGE if one is
// not understood.
enum status published_translate(const struct published *published, struct csv_reader *reader, FILE *to,
                                struct error *error);

#endif
