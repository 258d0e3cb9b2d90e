// The edges of a graph as the search for next hops reads them (next_hops.h).
#ifndef APSP_SOLVE_HOP_EDGES_H
#define APSP_SOLVE_HOP_EDGES_H

#include "apsp/graph/graph.h"

struct apsp_hop_edge {
    uint32_t to;
    int32_t weight;
};

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

#endif
