// gmem's kernels for the CPU, in C: the same entries, arguments and results as gmem/gmem.cu.
//   stride_copy(source, destination, u64 elements, u64 stride)
//   stride_read(source, sink, u64 elements, u64 stride)          sink: a uint32_t for each slice
//   stride_write(destination, u64 elements, u64 stride, u64 seed)
// The constant WIDTH is 1, 2, 4, 8 or 16 bytes.
// launch->grid.x is the number of slices that the elements are cut into (device/cpu/slice.h), one a thread where it is
// the device's number of threads; the rest of grid and block is not looked at.
// At stride 1 vectors are used, and a chosen method where more is moved than the last-level cache holds: streaming
// stores spare memory the read of lines that are overwritten whole, but how well a core does them differs.
#ifndef GMEM_GMEM_CPU_H
#define GMEM_GMEM_CPU_H

#include "device/device.h"

// NULL if there is no such kernel.
native_kernel *gmem_native(const char *entry);

enum gmem_operation {
    GMEM_COPY,
    GMEM_READ,
    GMEM_WRITE,
    GMEM_CPU_OPERATIONS
};

// The methods at stride 1 of an operation. The first is in use until another is chosen (gmem/gmem_cpu_tune.h).
size_t gmem_cpu_methods(enum gmem_operation operation);
const char *gmem_cpu_method_name(enum gmem_operation operation, size_t method);
void gmem_cpu_choose(enum gmem_operation operation, size_t method);

#endif
