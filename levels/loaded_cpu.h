// The kernel of loaded.cu for the CPU, in C. The first thread of the grid follows the chain, and the others make the
// traffic.
#ifndef LEVELS_LOADED_CPU_H
#define LEVELS_LOADED_CPU_H

#include "device/device.h"

enum {
    LOADED_CPU_CHUNK_BYTES = 4096,
    LOADED_CPU_STEPS = 32, // of a round
};

// Takes one more argument than the kernel for GPUs: the traffic in percent of the threads' full rate, which each thread
// limits by waiting after a chunk. The state's ticks are nanoseconds.
native_kernel levels_cpu_chase_loaded;

#endif
