// The sum on the CPU, in C: serial, with independent accumulators, with vectors, with all threads.
// Arguments of every kernel: (in, sums, u64 elements). sums[0] gets the sum; behind it lies room for one value of 8
// bytes for each slice. launch->grid.x is the number of slices that the elements are cut into, one a thread; read_limit
// puts the xor of the 32-bit parts of all elements into the first 4 bytes.
#ifndef REDUCE_REDUCE_CPU_H
#define REDUCE_REDUCE_CPU_H

#include "device/device.h"
#include "reduce/reduce_numbers.h"

// entry: "serial", "unroll2", "unroll4", "unroll8", "simd", "threads", "read_limit", "fill_numbers" (whose arguments
// are those of fill.cu's). NULL if there is no such kernel.
native_kernel *reduce_native(const char *entry, enum reduce_type type);

// The most additions that a number goes through.
double reduce_native_depth(const char *entry, enum reduce_type type, uint64_t elements, uint32_t slices);

#endif
