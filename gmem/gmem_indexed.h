// gmem's gathers and scatters for the CPU, in C: the same entries, arguments and results as gmem/indexed.cu.
// Constants: WIDTH, PATTERN. launch->grid.x is the number of slices, one for each thread.
#ifndef GMEM_GMEM_INDEXED_H
#define GMEM_GMEM_INDEXED_H

#include "gmem/gmem_measure.h"

native_kernel gmem_gather, gmem_scatter, gmem_gather_scatter;

// Gathers and scatters: buffers, arguments and checks.

extern const struct gmem_family gmem_indexed;

// Families of struct gmem_kernel.
#define GMEM_GATHER                                                                                                    \
    .entry = "gather", .op = "gather", .reads = 1, .indexed = true, .family = &gmem_indexed, .native = gmem_gather
#define GMEM_SCATTER                                                                                                   \
    .entry = "scatter", .op = "scatter", .writes = 1, .indexed = true, .family = &gmem_indexed, .native = gmem_scatter
#define GMEM_GATHER_SCATTER                                                                                            \
    .entry = "gather_scatter", .op = "gather-scatter", .reads = 1, .writes = 1, .indexed = true,                       \
    .family = &gmem_indexed, .native = gmem_gather_scatter

#endif
