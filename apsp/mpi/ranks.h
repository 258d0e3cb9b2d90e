// The ranks of a run, in a grid.
#ifndef APSP_MPI_RANKS_H
#define APSP_MPI_RANKS_H

#include <mpi.h>

#include "util/error.h"

struct ranks {
    MPI_Comm world, row, column; // row: the ranks of this one's grid row, numbered by column; column: the reverse
    MPI_Comm node;               // the ranks on this machine
    int rank, count;             // in world
    int grid_rows, grid_columns; // rank = at_row * grid_columns + at_column
    int at_row, at_column;
    int node_rank, node_count;
};

// Begins MPI. A process that no launcher started works without a network interface, too.
void ranks_begin(int *argc, char ***argv);

// Arranges all ranks of the program in the grid that is nearest to a square.
void ranks_open(struct ranks *ranks);
void ranks_close(struct ranks *ranks);

// Collective. Returns the worst status of all ranks, and on every rank the error text of the first rank that has it. So
// all ranks stop if one fails, and any of them can print the error.
enum status ranks_agree(const struct ranks *ranks, enum status status, struct error *error);

// Collective. Ranks that may run on the same processors divide them among their OpenMP threads, unless OMP_NUM_THREADS
// sets the number of threads.
void ranks_divide_processors(const struct ranks *ranks);

#endif
