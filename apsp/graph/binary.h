// The binary format: little-endian int32 n and m, then m times int32 from, to, weight. Vertices count from 0.
#ifndef APSP_GRAPH_BINARY_H
#define APSP_GRAPH_BINARY_H

#include "apsp/graph/graph.h"

struct graph_head {
    int32_t vertices, edges;
};

// Refuses a head with impossible numbers, or with a number of edges that does not match the file's length.
enum status graph_check_head(const char *path, struct graph_head head, uint64_t bytes, struct error *error);

// Refuses edges with a vertex out of range or a negative weight. The first of them is edge `first` of the file, so that
// the message can name its byte.
enum status graph_check_edges(const char *path, uint32_t vertices, const struct edge *edges, uint64_t first,
                              uint64_t count, struct error *error);

#endif
