// What a solution costs, so that the default graph and the plan fit into the budget.
#ifndef APSP_APSP_COST_H
#define APSP_APSP_COST_H

#include "bench/probe.h"

// How many vertices a random graph has where --vertices does not say: fewer where the budget is small.
uint32_t apsp_default_vertices(const struct run *run);

// Of a solution on the CPU; the plan learns what those on GPUs cost.
void apsp_cost(const struct run *run, const struct point *point, struct point_cost *cost);

#endif
