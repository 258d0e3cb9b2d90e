// The edges in a rank's share of the matrix, and where they come from.
#ifndef APSP_MPI_EDGE_SHARE_H
#define APSP_MPI_EDGE_SHARE_H

#include "apsp/graph/random.h"
#include "apsp/mpi/ranks.h"
#include "apsp/mpi/share.h"

// ---- Sources of edges ----

// Where the edges of a graph come from. Each rank has a part of them:
// clang-format off
//   a random graph   each rank makes its part
//   a binary file    each rank reads its part, all at the same time
//   a text file      rank 0 reads all of it and holds all edges until they are dealt out
// clang-format on

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

void edge_source_close(struct edge_source *source);

// ---- Each rank's share ----

struct edge_share {
    struct edge *edges;
    uint64_t count, capacity;
};

// Each rank reads its part of the source in pieces and sends every edge to the rank whose share it is in, so that no
// rank ever holds all edges. Unless save_path is NULL, the graph is also written there as a binary file. Collective,
// with one status for all.
enum status edge_share_deal(const struct ranks *ranks, const struct edge_source *source, const struct share *share,
                            const char *save_path, struct edge_share *edges, struct error *error);
void edge_share_release(struct edge_share *edges);

#endif
