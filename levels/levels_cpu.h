// levels' kernels for the CPU, in C: the same arguments and results as levels.cu. A chase has one thread; its record
// has no cycles, for the CPU's counters do not count the core's, and its ticks are nanoseconds.
#ifndef LEVELS_LEVELS_CPU_H
#define LEVELS_LEVELS_CPU_H

#include "device/device.h"

native_kernel levels_cpu_fill_chain;
native_kernel levels_cpu_chase;
native_kernel levels_cpu_chase_atomic;

#endif
