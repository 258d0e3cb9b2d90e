// Where the edges of a graph come from, a part for each rank:
//   a random graph   each rank makes its part
//   a binary file    each reads its part, all at once
//   a text file      rank 0 reads it all; it has all edges until they are dealt out
#ifndef APSP_MPI_EDGE_SOURCE_H
#define APSP_MPI_EDGE_SOURCE_H

#include "apsp/graph/random.h"
#include "apsp/mpi/ranks.h"

struct edge_source {
    const char *path; // NULL: random
    uint32_t vertices;
    uint64_t edge_count;
    uint64_t first, count;               // this rank's part
    struct graph_random_settings random; // if path is NULL
    MPI_File file;                       // a binary file
    struct graph text;                   // rank 0 holds the graph of a text file
};

struct edge_source edge_source_random(const struct ranks *ranks, const struct graph_random_settings *settings);

// Collective, with one status for all: refuses what is no graph, as far as its head tells.
enum status edge_source_open(const struct ranks *ranks, const char *path, struct edge_source *source,
                             struct error *error);

// Collective. The edges `first` to first + count - 1 of the graph, of this rank's part; those of a file are checked.
enum status edge_source_read(const struct edge_source *source, uint64_t first, uint64_t count, struct edge *edges,
                             struct error *error);

void edge_source_close(struct edge_source *source);

#endif
