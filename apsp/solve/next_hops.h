// The vertices of shortest paths: element (i, j) of a matrix of next hops is the vertex that follows i on a shortest
// path to j. It is j itself if an edge is the path, i if i is j, and APSP_NO_HOP if no path exists.
//
// They follow from the distances. The edge from i to k begins a shortest path to j if its weight and the distance from
// k to j add up to the distance from i to j. So all solvers find the same hops, at the cost of a few passes over the
// matrix. Edges of weight 0 need care, because they may lead back. They come last, in passes: such an edge counts only
// if an earlier pass knows the hop that follows.
#ifndef APSP_SOLVE_NEXT_HOPS_H
#define APSP_SOLVE_NEXT_HOPS_H

#include "apsp/solve/hop_edges.h"

#define APSP_NO_HOP (-1)

// Finds all hops on the CPU. Both matrices have vertices^2 words.
void apsp_next_hops(const struct apsp_hop_edges *edges, const int32_t *distances, int32_t *next);

#endif
