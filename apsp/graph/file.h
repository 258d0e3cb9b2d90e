// The parts of reading and writing graphs that are not seen outside.
#ifndef APSP_GRAPH_FILE_H
#define APSP_GRAPH_FILE_H

#include "apsp/graph/graph.h"

// A file in memory, and what is wrong with it first.
struct graph_text {
    const char *path;
    const char *begin, *end; // a NUL stands behind what graph_read reads
    uint32_t matrices;       // of its vertices that must fit into memory
};

// Whether a file that begins like this is DIMACS or Matrix Market; at least the size of a binary head is looked at.
bool graph_is_text(const struct graph_text *text);

// What a binary file begins with; its edges follow.
struct graph_head {
    int32_t vertices, edges;
};

// Refuses a head that a file of so many bytes can't have, and among `count` edges, of which the file's `first` is the
// first, those that can't be.
enum status graph_check_head(const char *path, struct graph_head head, uint64_t bytes, struct error *error);
enum status graph_check_edges(const char *path, uint32_t vertices, const struct edge *edges, uint64_t first,
                              uint64_t count, struct error *error);

// Says what is wrong at a place of a text file: "PATH: line N: ...".
enum status graph_refuse_line(const struct graph_text *text, const char *at, const char *what, struct error *error);

// DIMACS and Matrix Market. Fills vertices, edge_count, edges and memory.
enum status graph_parse_dimacs(const struct graph_text *text, struct graph *graph, struct error *error);
enum status graph_parse_matrix_market(const struct graph_text *text, struct graph *graph, struct error *error);

#endif
