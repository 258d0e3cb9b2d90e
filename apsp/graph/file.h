// Files of graphs: text and binary, read and written.
#ifndef APSP_GRAPH_FILE_H
#define APSP_GRAPH_FILE_H

#include "apsp/graph/graph.h"

// ---- Text ----

// A file in memory.
struct graph_text {
    const char *path;
    const char *begin, *end; // the byte at `end` is a NUL
    uint32_t matrices;       // how many matrices of distances must fit into memory
};

// Whether a file that begins like this is DIMACS or Matrix Market. The text must be at least 8 bytes long.
bool graph_is_text(const struct graph_text *text);

// ---- Binary files ----

struct graph_head {
    int32_t vertices, edges;
};

// Refuses a head with impossible numbers, or with a number of edges that does not match the file's length.
enum status graph_check_head(const char *path, struct graph_head head, uint64_t bytes, struct error *error);

// Refuses edges with a vertex out of range or a negative weight. The first of them is edge `first` of the file, so that
// the message can name its byte.
enum status graph_check_edges(const char *path, uint32_t vertices, const struct edge *edges, uint64_t first,
                              uint64_t count, struct error *error);

// ---- Reading ----

// Graph files. The first bytes tell the format:
// clang-format off
//   binary         little-endian int32 n, int32 m, then m times int32 from, to, weight; vertices count from 0
//   DIMACS .gr     "p sp N M", then M lines "a FROM TO WEIGHT"; vertices count from 1
//   Matrix Market  "%%MatrixMarket matrix coordinate integer|real|pattern general|symmetric"; vertices count from 1;
//                  the entry in row i and column j is an edge from i to j, of weight 1 in a pattern
// clang-format on

// Reads a graph and refuses (STATUS_USAGE) a file that is no graph, with the byte or line of the fault, before it asks
// for more memory than the file's size. It also refuses a graph if two matrices of its distances do not fit into
// memory. Self-edges and repeated edges are kept.
enum status graph_read(const char *path, struct graph *graph, struct error *error);

// Does the same for any number of vertices.
enum status graph_read_edges(const char *path, struct graph *graph, struct error *error);

// Says that --graph excludes the options about random graphs.
enum status graph_refuse_options(const char *path, struct error *error);

// ---- Writing ----

// Files of graphs and of distances. Each appears under its name only when it is complete.

// Writes the binary format.
enum status graph_save(const struct graph *graph, const char *path, struct error *error);

// Refuses more edges than the binary format can count.
enum status graph_check_edge_count(const char *path, uint64_t edges, struct error *error);

// Writes vertices^2 little-endian int32, row by row.
enum status distances_save(const int32_t *distances, uint64_t vertices, const char *path, struct error *error);

#endif
