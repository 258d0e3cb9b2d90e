// Graph files in text: DIMACS and Matrix Market. graph/read.h describes them.
#ifndef APSP_GRAPH_TEXT_H
#define APSP_GRAPH_TEXT_H

#include "apsp/graph/graph.h"

// A file in memory.
struct graph_text {
    const char *path;
    const char *begin, *end; // the byte at `end` is a NUL
    uint32_t matrices;       // how many matrices of distances must fit into memory
};

// Whether a file that begins like this is DIMACS or Matrix Market. The text must be at least 8 bytes long.
bool graph_is_text(const struct graph_text *text);

// Parses the text and fills in the graph's vertices, edges and memory.
enum status graph_parse(const struct graph_text *text, struct graph *graph, struct error *error);

#endif
