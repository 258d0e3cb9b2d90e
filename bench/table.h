// The table for people: which columns it has, and how wide its first ones are.
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "bench/output.h"
#include "bench/probe.h"
#include "bench/selection.h"

enum {
    TABLE_TEXT = 512
};

// The chosen variants' own columns where they name the same, else the probe's; and before the verdict each parameter
// of which the user gave several values, so that no two rows look alike. Returns text.
const char *table_columns(char text[TABLE_TEXT], const struct probe *probe, const struct selection *selection,
                          const struct sweep *given);

// As wide as the longest name among the chosen devices and variants.
struct output_widths table_widths(const struct selection *selection);

#endif
