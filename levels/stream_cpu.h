// stream.cu's kernels of blocks with chunks of their own for the CPU, in C and vectors: a thread is a block, and
// launch->block.x a chunk's words of 16 bytes.
#ifndef LEVELS_STREAM_CPU_H
#define LEVELS_STREAM_CPU_H

#include "device/device.h"

native_kernel levels_cpu_unit_read;
native_kernel levels_cpu_unit_write;
native_kernel levels_cpu_unit_copy;
native_kernel levels_cpu_piece_read;

#endif
