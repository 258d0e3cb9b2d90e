// Checks distances without a second solver.
#ifndef APSP_SOLVE_CHECK_H
#define APSP_SOLVE_CHECK_H

#include "apsp/graph/graph.h"

// Sets *right to whether every one of the vertices^2 distances is right. Fails if memory is short.
enum status apsp_check(const struct graph *graph, const int32_t *distances, bool *right, struct error *error);

#endif
