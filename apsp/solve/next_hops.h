// The edges of a graph as the search for next hops reads them (next_hops.h).
#ifndef APSP_SOLVE_NEXT_HOPS_H
#define APSP_SOLVE_NEXT_HOPS_H

#include "apsp/graph/graph.h"

// Its arrays lie in one piece of memory, which can be copied to a GPU.
struct apsp_hop_edges {
    uint32_t vertices;
    uint32_t edge_count; // with a weight above 0
    uint32_t zero_rows;  // vertices that edges of weight 0 leave
    uint32_t zero_count; // such edges
    uint32_t passes;     // over these edges, after which no more hops are found; most graphs need far fewer
    void *memory;
};

// Where each array begins, in words: for every vertex its first edge, and the number of edges; the edges, the lightest
// of a vertex first; for edges of weight 0 the vertices that they leave, for each of these its first edge, and the
// number of edges; and where they lead to. The last word is 0 at first.
struct apsp_hop_layout {
    size_t first, edges, zero_rows, zero_first, zero_to, found, words;
};

struct apsp_hop_layout apsp_hop_layout(const struct apsp_hop_edges *edges);

// Fails if memory is short or there are too many edges. The edges must be released even then.
enum status apsp_hop_edges_make(const struct graph *graph, struct apsp_hop_edges *edges, struct error *error);
void apsp_hop_edges_release(struct apsp_hop_edges *edges);

// The vertices of shortest paths: element (i, j) of a matrix of next hops is the vertex that follows i on a shortest
// path to j. It is j itself if an edge is the path, i if i is j, and APSP_NO_HOP if no path exists.
//
// They follow from the distances. The edge from i to k begins a shortest path to j if its weight and the distance from
// k to j add up to the distance from i to j. So all solvers find the same hops, at the cost of a few passes over the
// matrix. Edges of weight 0 need care, because they may lead back. They come last, in passes: such an edge counts only
// if an earlier pass knows the hop that follows.

// Finds all hops on the CPU. Both matrices have vertices^2 words.
void apsp_next_hops(const struct apsp_hop_edges *edges, const int32_t *distances, int32_t *next);

// ---- A check of the paths ----

// Checks next hops against the graph and its distances.

// Sets *right to whether every hop is an edge of a shortest path and every path ends, for distances that are right.
// *paths is the number of paths. Fails if memory is short.
enum status apsp_next_hops_check(const struct graph *graph, const int32_t *distances, const int32_t *next, bool *right,
                                 uint64_t *paths, struct error *error);

#endif
