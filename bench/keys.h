// Which columns say what was run: the list of all who ask whether two rows are the same work.
#ifndef BENCH_KEYS_H
#define BENCH_KEYS_H

#include <stdbool.h>
#include <stddef.h>

enum key_kind {
    KEY_GIVEN, // by the probe, the variant and the point
    KEY_SIZE,  // which a probe may fit to its device
    KEY_FOUND  // known only after measuring or checking
};

struct key_column {
    const char *name;
    enum key_kind kind;
};

// In the order of the columns (bench/columns.h).
extern const struct key_column key_columns[];
extern const size_t key_column_count;

// The key column of this name; NULL: there is none, so the column does not say what was run.
const struct key_column *key_column_find(const char *name);

// ---- The figures by which two rows of the same work are compared ----

// The first of these that both rows have. A probe may fit to its device how much a row does, so the time comes last.
enum figure {
    FIGURE_LATENCY,
    FIGURE_ONE_WAY,
    FIGURE_UPDATES,
    FIGURE_BANDWIDTH,
    FIGURE_TIME,
    FIGURES
};

struct figure_kind {
    const char *column, *unit;
    bool less_is_faster;
};
extern const struct figure_kind figure_kinds[FIGURES];

#endif
