// CPU versions, in C and vectors, of those kernels of stream.cu whose blocks have separate chunks. A thread is a block,
// and launch->block.x is the number of 16-byte words of a chunk.
#ifndef LEVELS_STREAM_CPU_H
#define LEVELS_STREAM_CPU_H

#include "device/device.h"
#include "levels/stream_cpu_vector.h"

// Those for the widest vectors that this processor has.
const struct stream_loops *levels_cpu_stream_loops(void);

native_kernel levels_cpu_unit_read;
native_kernel levels_cpu_unit_write;
native_kernel levels_cpu_unit_copy;
native_kernel levels_cpu_piece_read;

#endif
