// Checks next hops against the graph and its distances.
#ifndef APSP_SOLVE_NEXT_HOPS_CHECK_H
#define APSP_SOLVE_NEXT_HOPS_CHECK_H

#include "apsp/graph/graph.h"

// Sets *right to whether every hop is an edge of a shortest path and every path ends, for distances that are right.
// *paths is the number of paths. Fails if memory is short.
enum status apsp_next_hops_check(const struct graph *graph, const int32_t *distances, const int32_t *next, bool *right,
                                 uint64_t *paths, struct error *error);

#endif
