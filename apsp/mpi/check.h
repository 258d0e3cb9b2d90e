// Checks every distance without a second solver. A row is right if both conditions hold:
//   - No edge (u, v) makes row[v] > row[u] + weight. Then no distance is too large.
//   - Every distance is the length of a path: an edge of positive weight leads to the vertex from one that is nearer by
//     that weight, or a chain of edges of weight 0 leads to it from such a vertex. Then no distance is too small.
// Each rank holds some whole rows, and the edges of all ranks are broadcast in pieces.
#ifndef APSP_MPI_CHECK_H
#define APSP_MPI_CHECK_H

#include "apsp/mpi/edge_share.h"
#include "apsp/mpi/share.h"

// Bytes that the check needs in addition to the share.
size_t check_bytes(const struct share *share);

// Collective, with one status and one answer for all. It reorders the edges.
enum status check(const struct ranks *ranks, const struct share *share, struct edge_share *edges, bool *right,
                  struct error *error);

#endif
