// Gathers and scatters: what differs from elements that lie one stride apart.
#ifndef GMEM_GMEM_INDEXED_H
#define GMEM_GMEM_INDEXED_H

#include "gmem/gmem_buffers.h"

extern const struct gmem_family gmem_indexed;

#endif
