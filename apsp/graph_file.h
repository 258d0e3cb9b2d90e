// The parts of reading and writing graphs that are not seen outside.
#ifndef APSP_GRAPH_FILE_H
#define APSP_GRAPH_FILE_H

#include "apsp/graph.h"

// A file in memory, and what is wrong with it first.
struct graph_text {
    const char *path;
    const char *begin, *end;
};

// Says what is wrong at a place of a text file: "PATH: line N: ...".
enum status graph_refuse_line(const struct graph_text *text, const char *at, const char *what, struct error *error);

// DIMACS and Matrix Market. Fills vertices, edge_count, edges and memory.
enum status graph_parse_dimacs(const struct graph_text *text, struct graph *graph, struct error *error);
enum status graph_parse_matrix_market(const struct graph_text *text, struct graph *graph, struct error *error);

// A piece of a file that is to be written.
struct file_piece {
    const void *bytes;
    size_t count;
};

// Writes the pieces one behind the other, by all threads, to a file beside path that is renamed to it when it is whole;
// on a fault nothing is left behind and path stays as it was.
enum status file_write(const char *path, const struct file_piece *pieces, size_t count, struct error *error);

#endif
