// Where the edges of a graph come from. Each rank has a part of them:
// clang-format off
//   a random graph   each rank makes its part
//   a binary file    each rank reads its part, all at the same time
//   a text file      rank 0 reads all of it and holds all edges until they are dealt out
// clang-format on
#ifndef APSP_MPI_EDGE_SOURCE_H
#define APSP_MPI_EDGE_SOURCE_H

#include "apsp/graph/random.h"
#include "apsp/mpi/ranks.h"

struct edge_source {
    const char *path; // NULL: the graph is random
    uint32_t vertices;
    uint64_t edge_count;
    uint64_t first, count;               // this rank's part
    struct graph_random_settings random; // if path is NULL
    MPI_File file;                       // a binary file
    struct graph text;                   // rank 0 holds the graph of a text file
};

struct edge_source edge_source_random(const struct ranks *ranks, const struct graph_random_settings *settings);

// Opens a file and refuses it if its head is not that of a graph. Collective, with one status for all.
enum status edge_source_open(const struct ranks *ranks, const char *path, struct edge_source *source,
                             struct error *error);

// Reads `count` edges of this rank's part, beginning with edge `first` of the graph, and checks those of a file.
// Collective.
enum status edge_source_read(const struct edge_source *source, uint64_t first, uint64_t count, struct edge *edges,
                             struct error *error);

void edge_source_close(struct edge_source *source);

#endif
