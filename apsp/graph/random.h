// Random graphs. The same arguments give the same graph on every machine, whatever the number of threads.
#ifndef APSP_GRAPH_RANDOM_H
#define APSP_GRAPH_RANDOM_H

#include "apsp/graph/graph.h"

// The number of vertices if --vertices does not say: large enough that the fast solvers run at their full rate.
enum {
    APSP_DEFAULT_CPU_VERTICES = 2048,
    APSP_DEFAULT_GPU_VERTICES = 8192
};

struct graph_random_settings {
    uint64_t vertices, edges;
    uint64_t max_weight; // weights are 0 to max_weight
    uint64_t seed;
};

// Fills in the defaults where edges or max_weight is 0: 8 edges for each vertex, or one for each pair of vertices where
// there are fewer pairs, and weights up to 100.
struct graph_random_settings graph_random_defaults(struct graph_random_settings settings);

// Refuses more edges than there are pairs of vertices.
enum status graph_random_check(const struct graph_random_settings *settings, struct error *error);

// Makes a graph. All edges differ, and none leads from a vertex to itself.
enum status graph_random(const struct graph_random_settings *settings, struct graph *graph, struct error *error);

// Makes only `count` edges of the graph, starting with edge `first`, so that many processes can each make a part.
void graph_random_edges(const struct graph_random_settings *settings, uint64_t first, uint64_t count,
                        struct edge *edges);

#endif
