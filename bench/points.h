// The points of one variant on one device: the cross product of its sweeps.
#ifndef BENCH_POINTS_H
#define BENCH_POINTS_H

#include "bench/probe.h"

// Fills run->sweeps: each parameter's as given or, where none was given, the variant's own.
enum status points_prepare(struct run *run, const struct sweep given[PARAMETERS_MAX], struct error *error);

size_t point_count(const struct run *run);

// The number-th point, the last parameter running fastest.
struct point point_at(const struct run *run, size_t number);

// Which value of each sweep the number-th point has.
void point_indices(const struct run *run, size_t number, size_t indices[PARAMETERS_MAX]);

// Whether the probe leaves it out of its default sweep.
bool point_skipped(const struct run *run, const struct point *point);

// Refuses runs (one at least) that skip all their points: the program would end well and show nothing. A probe may skip
// by what devices there are, so each run must know them.
enum status points_check_left(const struct run *runs, size_t count, struct error *error);

#endif
