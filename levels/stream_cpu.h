// CPU versions, in C and vectors, of those kernels of stream.cu whose blocks have separate chunks. A thread is a block,
// and launch->block.x is the number of 16-byte words of a chunk.
#ifndef LEVELS_STREAM_CPU_H
#define LEVELS_STREAM_CPU_H

#include "device/cpu/stream_vector.h"

native_kernel levels_cpu_unit_read;
native_kernel levels_cpu_unit_write;
native_kernel levels_cpu_unit_copy;
native_kernel levels_cpu_piece_read;

#endif
