// What people read of rows: the table, and the headline of --quick.
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/probe.h"

// ---- The table ----

// The table for people: which columns it has, how wide they are, and how a row looks in it.

struct table {
    struct table_column columns[ROW_COLUMN_COUNT];
    size_t count;
    int device_width, variant_width; // of the longest name in these columns
};

// The table of a run: the columns of its variant, or of its probe, without those that have no values on its device. A
// parameter of which the run has several values gets a column before the verdict, so that no two rows look alike.
struct table table_of_run(const struct run *run);

// The same, with room for the names in all those of the runs that have the same columns.
struct table table_of_runs(const struct run *run, const struct run *runs, size_t count);

bool table_same_columns(const struct table *a, const struct table *b);

// What stands above this column.
const char *table_heading(enum row_column column);
void table_write_heading(const struct table *table, FILE *file);

struct table_style {
    bool colour;      // of verdicts
    int line_columns; // that a line may have; 0: any number
};
// Writes a line; a field that is wider than its column is written whole, because a number cut short would be another.
void table_write_row(const struct table *table, struct table_style style, const struct row *row, FILE *file);

// ---- The headline: each variant's best rate, and its share of the peak ----

struct plan;

// A line for each device of a plan whose rows are known: "cpu: copy 34.5 GB/s (45 % of peak), read ...".
void headline_print(const struct plan *plan, FILE *file);

#endif
