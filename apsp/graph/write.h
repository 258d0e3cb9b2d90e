// Files of graphs and of distances. Each appears under its name only when it is complete.
#ifndef APSP_GRAPH_WRITE_H
#define APSP_GRAPH_WRITE_H

#include "apsp/graph/graph.h"

// Writes the binary format of graph/binary.h.
enum status graph_save(const struct graph *graph, const char *path, struct error *error);

// Refuses more edges than the binary format can count.
enum status graph_check_edge_count(const char *path, uint64_t edges, struct error *error);

// Writes vertices^2 little-endian int32, row by row.
enum status distances_save(const int32_t *distances, uint64_t vertices, const char *path, struct error *error);

#endif
