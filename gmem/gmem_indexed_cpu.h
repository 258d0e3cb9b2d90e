// gmem's gathers and scatters for the CPU, in C: the same entries, arguments and results as gmem/indexed.cu.
// Constants: WIDTH, PATTERN. launch->grid.x is the number of slices, one for each thread.
#ifndef GMEM_GMEM_INDEXED_CPU_H
#define GMEM_GMEM_INDEXED_CPU_H

#include "device/device.h"

native_kernel gmem_gather, gmem_scatter, gmem_gather_scatter;

#endif
