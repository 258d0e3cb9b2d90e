// What --explain COLUMN prints.
#ifndef BENCH_ROWS_EXPLAIN_H
#define BENCH_ROWS_EXPLAIN_H

#include "util/error.h"

// Prints the meaning of a column, which docs/csv.md says. The name is that of the CSV or the heading of a table.
// STATUS_USAGE if there is no such column.
enum status explain_column(const char *name, struct error *error);

#endif
