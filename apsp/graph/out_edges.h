// A graph's edges by the vertex that they leave.
#ifndef APSP_GRAPH_OUT_EDGES_H
#define APSP_GRAPH_OUT_EDGES_H

#include "apsp/graph/graph.h"

// Sorted by `from` and then by `to`, so that memory is read in order. Repeated edges keep the graph's order.
struct out_edges {
    uint64_t *first; // the index of each vertex's first edge, and the number of edges
    struct edge *edges;
};

// Fails if memory is short.
enum status out_edges_make(const struct graph *graph, struct out_edges *sorted, struct error *error);
void out_edges_release(struct out_edges *edges);

#endif
