// Estimates the cost of points, from the probe's figures and from the finished points.
#ifndef BENCH_PLAN_COST_H
#define BENCH_PLAN_COST_H

#include "bench/plan_inside.h"

struct learned *plan_learned(const struct plan *plan, const struct planned *planned);
struct point_time plan_point_time(const struct plan *plan, const struct planned *planned, const struct point *point);

// Sums up the estimates of a run's points.
void plan_sum(const struct plan *plan, struct planned *planned);

// The time that the rest of a run is expected to take if each measurement gets row_s or, where that is 0, the least.
double plan_run_s(const struct plan *plan, const struct planned *planned, double row_s);

double plan_factor(const struct plan *plan, const struct planned *planned); // actual over estimated
double plan_use(const struct plan *plan, const struct planned *planned);    // used over given
double plan_least_row_s(const struct plan *plan, const struct planned *planned);

size_t plan_headline_index(const struct planned *planned, size_t parameter);

#endif
