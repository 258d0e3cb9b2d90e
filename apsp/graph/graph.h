// Directed graphs with weighted edges, in and out of files, and the matrix of distances that they begin with.
//
// Formats, told by a file's first bytes:
//   binary         little-endian int32 n, int32 m, then m times int32 from, to, weight; vertices from 0
//   DIMACS .gr     "p sp N M", then M lines "a FROM TO WEIGHT"; vertices from 1
//   Matrix Market  "%%MatrixMarket matrix coordinate integer|real|pattern general|symmetric"; vertices from 1, the
//   entry
//                  in row i and column j is an edge from i to j, of weight 1 in a pattern
#ifndef APSP_GRAPH_GRAPH_H
#define APSP_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// The distance of what cannot be reached, and of everything as far or farther. Twice it still is an int32.
#define UNREACHABLE INT32_C(0x3fffffff)

struct edge {
    int32_t from, to, weight; // as in the binary file
};

struct graph {
    uint32_t vertices;
    uint64_t edge_count;
    const struct edge *edges;
    void *memory; // that holds the edges
    size_t memory_bytes;
};

// A file that is no graph is refused with its byte or line (STATUS_USAGE), before more memory than the file's own size
// is asked for, and so is one with more vertices than two matrices of them fit into memory. Self-edges and repeated
// edges are taken as they are.
enum status graph_read(const char *path, struct graph *graph, struct error *error);
// The same for any number of vertices.
enum status graph_read_edges(const char *path, struct graph *graph, struct error *error);

// edges different ones, none from a vertex to itself, weights from 0 to max_weight; the same for the same seed.
enum status graph_random(uint32_t vertices, uint64_t edges, int32_t max_weight, uint64_t seed, struct graph *graph,
                         struct error *error);

// `count` of them, from the first-th on: a part of a graph that is shared by many.
void graph_random_edges(uint32_t vertices, int32_t max_weight, uint64_t seed, uint64_t first, uint64_t count,
                        struct edge *edges);

// As a binary file, which appears under its name when it is whole.
enum status graph_save(const struct graph *graph, const char *path, struct error *error);

void graph_release(struct graph *graph);

// Refuses a graph of which so many matrices, of vertices^2 elements of 4 bytes, and edges do not fit into memory.
enum status graph_check_memory(const char *name, uint64_t vertices, uint64_t edges, uint32_t matrices,
                               struct error *error);

// vertices^2 elements, row by row: 0 on the diagonal, the lightest edge from row to column, else UNREACHABLE.
void graph_distances(const struct graph *graph, int32_t *distances);

// An element of it, where there is an edge of this weight. Threads may meet there: edges can be repeated.
void graph_lower(int32_t *element, int32_t weight);

// The largest weight, no more than UNREACHABLE; 0 without edges.
int32_t graph_max_weight(const struct graph *graph);

// Distances as the output file has them: little-endian int32, row by row. It appears under its name when it is whole.
enum status distances_save(const int32_t *distances, uint64_t vertices, const char *path, struct error *error);

#endif
