// A directed graph with weighted edges, these edges in order, and the matrix of distances that a solver begins with.
#ifndef APSP_GRAPH_GRAPH_H
#define APSP_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// The distance to a vertex that cannot be reached. Longer paths count as unreachable. Twice this value fits into an
// int32.
#define UNREACHABLE INT32_C(0x3fffffff)

struct edge {
    int32_t from, to, weight; // in the order of the binary file
};

struct graph {
    uint32_t vertices;
    uint64_t edge_count;
    const struct edge *edges;
    void *memory; // holds the edges
    size_t memory_bytes;
};

void graph_release(struct graph *graph);

// Refuses a graph if its edges and `matrices` matrices of vertices^2 words do not fit into memory.
enum status graph_check_memory(const char *name, uint64_t vertices, uint64_t edges, uint32_t matrices,
                               struct error *error);

// Writes vertices^2 words, row by row: 0 on the diagonal, the weight of the lightest edge from row to column, and
// UNREACHABLE where there is no edge.
void graph_distances(const struct graph *graph, int32_t *distances);

// Lowers an element of the matrix to an edge's weight. Threads may call it for the same element, because edges can be
// repeated.
void graph_lower(int32_t *element, int32_t weight);

// The largest weight, limited to UNREACHABLE; 0 if there are no edges.
int32_t graph_max_weight(const struct graph *graph);

// The edges by the vertex that they leave, sorted by `from` and then by `to`, so that memory is read in order. Repeated
// edges keep the graph's order.
struct out_edges {
    uint64_t *first; // the index of each vertex's first edge, and the number of edges
    struct edge *edges;
};

// Fails if memory is short.
enum status out_edges_make(const struct graph *graph, struct out_edges *sorted, struct error *error);
void out_edges_release(struct out_edges *edges);

#endif
