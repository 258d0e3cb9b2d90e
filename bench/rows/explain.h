// The output of --explain COLUMN.
#ifndef BENCH_ROWS_EXPLAIN_H
#define BENCH_ROWS_EXPLAIN_H

#include "util/error.h"

// Prints the meaning of a column from docs/csv.md. The name is that of the CSV or a table's heading. Returns
// STATUS_USAGE if there is no such column.
enum status explain_column(const char *name, struct error *error);

#endif
