// Panels that travel from GPU to GPU by NCCL or RCCL, in the stream of the panels.
#ifndef APSP_MPI_EXCHANGE_GROUP_H
#define APSP_MPI_EXCHANGE_GROUP_H

#include "apsp/mpi/exchange.h"

// Collective, with one status for all.
enum status exchange_group_open(const struct exchange *common, struct exchange **exchange, struct error *error);

#endif
