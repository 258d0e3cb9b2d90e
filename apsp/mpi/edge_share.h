// The edges in a rank's share of the matrix.
#ifndef APSP_MPI_EDGE_SHARE_H
#define APSP_MPI_EDGE_SHARE_H

#include "apsp/mpi/edge_source.h"
#include "apsp/mpi/share.h"

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
