// Blocked Floyd-Warshall by all ranks. Round k takes the paths through the vertices of block k:
//   1. The rank that holds block (k, k) closes it: D is the block with all paths inside it. The rank sends D along its
//      grid row.
//   2. The ranks of that grid row multiply block row k by D, R = D (x) w[k][*], and send R along their grid columns.
//      The grid column that holds block column k sends C = w[*][k] along the grid rows.
//   3. All ranks compute w = min(w, C (x) R).
// Step 3 also updates block column k, because R contains D in its columns k. The ranks first compute what the next
// round sends, so that its panels travel while they compute the rest.
#ifndef APSP_MPI_SOLVE_H
#define APSP_MPI_SOLVE_H

#include "apsp/mpi/engine.h"
#include "apsp/mpi/exchange.h"
#include "apsp/solve/progress.h"

// Where this rank's time went, in nanoseconds. A GPU computes while the host waits, so there only wait_ns has a
// meaning: how long the GPU waited.
struct solve_times {
    double wait_ns; // for data from other ranks
    double phase_ns[3];
    double total_ns; // of the rounds, without the allocation of panels
    double received_bytes;
};

// Bytes of the panels, in addition to the share and the engine.
size_t solve_bytes(const struct share *share);

// Bytes of the largest broadcast.
size_t solve_panel_bytes(const struct share *share);

// Turns the share into distances in the engine's memory. Collective, with one status for all: a fault on one rank ends
// all ranks within a round. progress may be NULL.
enum status solve(const struct ranks *ranks, struct engine *engine, struct exchange *exchange,
                  struct progress *progress, struct solve_times *times, struct error *error);

#endif
