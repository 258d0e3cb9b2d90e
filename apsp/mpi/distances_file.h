// Writes the matrix of all ranks to one file of little-endian int32, row by row.
#ifndef APSP_MPI_DISTANCES_FILE_H
#define APSP_MPI_DISTANCES_FILE_H

#include "apsp/mpi/share.h"

// Collective, with one status for all.
enum status distances_write(const struct ranks *ranks, const struct share *share, const char *path,
                            struct error *error);

#endif
