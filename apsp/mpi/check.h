// Whether these are the distances, every single one, by an argument that knows no Floyd and no Warshall:
//   - no edge (u, v) makes row[v] > row[u] + weight: then none is too large, and
//   - every distance is that of a path: an edge of positive weight from a vertex that is as much nearer leads to it, or
//     a chain of edges of weight 0 from a vertex of which that is true: then none is too small.
// Neither needs all edges at once: they go round from rank to rank in pieces, while each rank has some whole rows.
#ifndef APSP_MPI_CHECK_H
#define APSP_MPI_CHECK_H

#include "apsp/mpi/edge_share.h"
#include "apsp/mpi/share.h"

// Beside the share, in bytes.
size_t check_bytes(const struct share *share);

// Collective, with one status and one answer for all. Sorts the edges.
enum status check(const struct ranks *ranks, const struct share *share, struct edge_share *edges, bool *right,
                  struct error *error);

#endif
