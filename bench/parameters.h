// What a probe ran with that no column of its own says.
#ifndef BENCH_PARAMETERS_H
#define BENCH_PARAMETERS_H

#include "bench/probe.h"

// The number of the column that says a parameter's or option's value: the named one, or else that of its own name, with
// or without a unit behind, as width_bytes is for --width. ROW_COLUMN_COUNT if there is none.
size_t parameter_column(const char *option, const char *column);

// Fills the column `parameters` with words NAME=VALUE: each parameter of the run's point that the row states in no
// other column, unless it has the only value of the variant's default; and each number or choice among the probe's
// options that is not the default and not in another column. So the rows of any sweep differ.
enum status parameters_describe(struct row *row, const struct run *run, struct error *error);

#endif
