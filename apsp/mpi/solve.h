// Blocked Floyd-Warshall by all ranks. Round k takes the paths through the vertices of block k:
//   1. the rank that has block (k, k) closes it, D = all its paths within, and sends D along its grid row
//   2. that grid row's ranks multiply block row k by it, R = D (x) w[k][*], and send R along their grid columns;
//      the grid column with block column k sends C = w[*][k] along the grid rows
//   3. all ranks compute w = min(w, C (x) R)
// Block column k needs no step of its own: R has D in its columns k. While a round is computed the next one's panels
// are on their way: what they are made of is computed first.
#ifndef APSP_MPI_SOLVE_H
#define APSP_MPI_SOLVE_H

#include "apsp/mpi/engine.h"
#include "apsp/mpi/rounds.h"

// Where this rank's time went, in nanoseconds; on a GPU, which computes beside the host, only wait says something.
struct solve_times {
    double wait_ns; // for what other ranks send
    double phase_ns[3];
    double received_bytes;
};

// Bytes of panels, beside the share and the engine.
size_t solve_bytes(const struct share *share);

// Collective, with one status for all: the share becomes distances, where the engine has it. A fault on one rank ends
// all of them within a round.
enum status solve(const struct ranks *ranks, struct engine *engine, struct rounds *rounds, struct solve_times *times,
                  struct error *error);

#endif
