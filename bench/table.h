// The table for people: which columns it has, and how wide its first ones are.
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "bench/output.h"
#include "bench/probe.h"

enum {
    TABLE_TEXT = 512
};

// The variant's columns, or the probe's; each parameter of which the run has several values is inserted before the
// verdict, so that no two rows look alike. Returns text.
const char *table_columns(char text[TABLE_TEXT], const struct run *run);

// As wide as the longest name of a device and of a variant among the runs with the same columns as this one.
struct output_widths table_widths(const struct run *runs, size_t count, const struct run *run);

#endif
