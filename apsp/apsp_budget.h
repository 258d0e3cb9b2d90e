// How large a default graph fits into the time that the user gives.
#ifndef APSP_APSP_BUDGET_H
#define APSP_APSP_BUDGET_H

#include "bench/probe.h"

// The number of vertices of a random graph if --vertices does not say. It is smaller if the budget is small.
uint32_t apsp_default_vertices(const struct run *run);

// An estimate of the slowest variant's rate on the run's device, in updates a second. On the CPU it is measured once.
double apsp_slowest_rate(const struct run *run);

#endif
