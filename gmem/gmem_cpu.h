// gmem's kernels for the CPU, in C, with the entries, arguments and results of gmem/gmem.cu.
//   stride_copy(source, destination, u64 elements, u64 stride)
//   stride_read(source, sink, u64 elements, u64 stride)          sink: a uint32_t for each slice
//   stride_write(destination, u64 elements, u64 stride, u64 seed)
//   triad(b, c, a, u64 elements, u64 stride)                     as in gmem/numbers.cu, only at stride 1
//   sum(source, sums, u64 elements, u64 stride)                  the same; sums: a uint64_t for each slice
// Constants: WIDTH, 1, 2, 4, 8 or 16 bytes; METHOD, see below; CACHE_BYTES, of the last-level cache.
// launch->grid.x is the number of slices that the elements are split into (device/cpu/slice.h), one for each thread.
// The rest of grid and block has no effect. At stride 1 the kernels use vectors. A read always uses METHOD, the
// others only if they move more than the last-level cache holds. Streaming stores save memory the read of lines that
// are overwritten whole, but not every core executes them well.
#ifndef GMEM_GMEM_CPU_H
#define GMEM_GMEM_CPU_H

#include "device/device.h"

// NULL if there is no such kernel.
native_kernel *gmem_native(const char *entry);

enum gmem_operation {
    GMEM_COPY,
    GMEM_READ,
    GMEM_WRITE,
    GMEM_TRIAD,
    GMEM_CPU_OPERATIONS
};

// The methods of an operation at stride 1. gmem/gmem_cpu_tune.h finds the fastest on this machine.
size_t gmem_cpu_methods(enum gmem_operation operation);
const char *gmem_cpu_method_name(enum gmem_operation operation, size_t method);

#endif
