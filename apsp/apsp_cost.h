// The cost of a point, for the plan that keeps within the budget.
#ifndef APSP_APSP_COST_H
#define APSP_APSP_COST_H

#include "bench/probe.h"

// Estimates the cost of a solution on the CPU. The plan learns the cost on GPUs from the first solutions.
void apsp_cost(const struct run *run, const struct point *point, struct point_cost *cost);

#endif
