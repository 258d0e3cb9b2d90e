// Graph files. The first bytes tell the format:
// clang-format off
//   binary         little-endian int32 n, int32 m, then m times int32 from, to, weight; vertices count from 0
//   DIMACS .gr     "p sp N M", then M lines "a FROM TO WEIGHT"; vertices count from 1
//   Matrix Market  "%%MatrixMarket matrix coordinate integer|real|pattern general|symmetric"; vertices count from 1;
//                  the entry in row i and column j is an edge from i to j, of weight 1 in a pattern
// clang-format on
#ifndef APSP_GRAPH_READ_H
#define APSP_GRAPH_READ_H

#include "apsp/graph/graph.h"

// Reads a graph and refuses (STATUS_USAGE) a file that is no graph, with the byte or line of the fault, before it asks
// for more memory than the file's size. It also refuses a graph if two matrices of its distances do not fit into
// memory. Self-edges and repeated edges are kept.
enum status graph_read(const char *path, struct graph *graph, struct error *error);

// Does the same for any number of vertices.
enum status graph_read_edges(const char *path, struct graph *graph, struct error *error);

// Says that --graph excludes the options about random graphs.
enum status graph_refuse_options(const char *path, struct error *error);

#endif
