// Leaves values of sweeps out until the rest fits.
#ifndef BENCH_PLAN_THIN_H
#define BENCH_PLAN_THIN_H

#include "bench/plan_inside.h"

// Restores the sweeps of the runs from `first` on, then leaves out what does not fit into left_s.
void plan_thin(struct plan *plan, size_t first, double left_s);

#endif
