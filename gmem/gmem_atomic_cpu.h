// gmem's atomic additions for the CPU, in C: the same entries, arguments and results as gmem/atomic.cu.
// Constants: WIDTH, FLOATING. launch->grid.x is the number of slices, one for each thread.
#ifndef GMEM_GMEM_ATOMIC_CPU_H
#define GMEM_GMEM_ATOMIC_CPU_H

#include "device/device.h"

native_kernel gmem_atomic_add, gmem_atomic_fetch_add;

#endif
