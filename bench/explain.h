// What columns mean, by docs/csv.md.
#ifndef BENCH_EXPLAIN_H
#define BENCH_EXPLAIN_H

#include <stddef.h>

#include "util/error.h"

// For --explain: prints the meaning of a column. The name is that of the CSV or a table's heading, or "all". Returns
// STATUS_USAGE if there is no such column.
enum status explain_column(const char *name, struct error *error);

// The meaning of a column by its number, in one line, to be freed. NULL if the page does not explain the column or
// memory ran out.
char *explain_meaning(size_t column);

#endif
