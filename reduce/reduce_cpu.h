// Sums on the CPU, in C: serial, with independent accumulators, with vectors, and with all threads.
// Arguments: (in, sums, u64 elements). sums[0] gets the sum. Room for one value of 8 bytes for each slice follows it.
// launch->grid.x is the number of slices, one for each thread.
// Constants: BITS and FLOATING, the type.
//   sum_scalars    UNROLL independent sums: 1, 2, 4 or 8
//   sum_vectors    four vectors of sums
//   sum_threads    the same with all threads
//   read_limit     the xor of the 32-bit parts of all elements, into the first 4 bytes of sums
#ifndef REDUCE_REDUCE_CPU_H
#define REDUCE_REDUCE_CPU_H

#include "device/device.h"

native_kernel reduce_sum_scalars, reduce_sum_vectors, reduce_sum_threads, reduce_read_limit;

// Bytes of a vector on this machine.
uint32_t reduce_cpu_vector_bytes(void);

#endif
