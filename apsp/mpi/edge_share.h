// The edges that lie in a rank's share of the matrix.
#ifndef APSP_MPI_EDGE_SHARE_H
#define APSP_MPI_EDGE_SHARE_H

#include "apsp/mpi/edge_source.h"
#include "apsp/mpi/share.h"

struct edge_share {
    struct edge *edges;
    uint64_t count, capacity;
};

// Collective, with one status for all: each rank reads its part of the source and sends every edge to the rank in whose
// share it lies. No rank ever has more than its part's next piece, its own edges, and what is on the way.
// save_path, if not NULL: the graph is also written there, as a binary file.
enum status edge_share_deal(const struct ranks *ranks, const struct edge_source *source, const struct share *share,
                            const char *save_path, struct edge_share *edges, struct error *error);
void edge_share_release(struct edge_share *edges);

#endif
