// The harness's kernels in C, for the CPU (bench/harness.cu says what each does).
#ifndef BENCH_HARNESS_CPU_H
#define BENCH_HARNESS_CPU_H

#include "device/device.h"

native_kernel harness_empty;
native_kernel harness_flush_cache;
native_kernel harness_probe_read;
native_kernel harness_fill_random;

#endif
