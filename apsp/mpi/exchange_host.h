// Panels that travel through pinned memory of the host, in pieces: while MPI sends one, the GPU copies the next.
#ifndef APSP_MPI_EXCHANGE_HOST_H
#define APSP_MPI_EXCHANGE_HOST_H

#include "apsp/mpi/exchange.h"

enum status exchange_host_open(const struct exchange *common, size_t panel_bytes, struct exchange **exchange,
                               struct error *error);

#endif
