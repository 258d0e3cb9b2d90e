// From a point of a sweep to its row.
#ifndef REDUCE_REDUCE_MEASURE_H
#define REDUCE_REDUCE_MEASURE_H

#include "reduce/reduce_summary.h"

// Measures one variant with numbers of one type, and gives its row to run_emit.
enum status reduce_measure(struct run *run, const struct point *point, enum reduce_type type, struct error *error);

#endif
