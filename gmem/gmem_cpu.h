// gmem's kernels for the CPU, in C: the same entries, arguments and results as gmem/gmem.cu.
//   stride_copy(source, destination, u64 elements, u64 stride)
//   stride_read(source, sink, u64 elements, u64 stride)          sink: a uint32_t for each slice
//   stride_write(destination, u64 elements, u64 stride, u64 seed)
// launch->grid.x is the number of slices that the elements are cut into (device/cpu/slice.h), one a thread where it is
// the device's number of threads; the rest of grid and block is not looked at.
// At stride 1 vectors are used, and streaming stores where more is moved than the last-level cache holds: they spare
// memory the read of lines that are overwritten whole.
#ifndef GMEM_GMEM_CPU_H
#define GMEM_GMEM_CPU_H

#include "device/device.h"

// width_bytes: 1, 2, 4, 8 or 16. NULL if there is no such kernel.
native_kernel *gmem_native(const char *entry, uint32_t width_bytes);

#endif
