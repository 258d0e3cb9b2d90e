// levels' kernels for the CPU, in C, with the arguments and results of levels.cu. A chase has one thread. Its record
// has no cycles, because the CPU's counters do not count core cycles, and its ticks are nanoseconds.
#ifndef LEVELS_LEVELS_CPU_H
#define LEVELS_LEVELS_CPU_H

#include "device/device.h"
#include "levels/chain.h"

// Backs the memory with the smallest pages from now on; its content is lost. The address is a page's.
void levels_cpu_small_pages(uint64_t address, uint64_t bytes);

// Writes the chain's elements, the first of which is at this address.
void levels_cpu_write_chain(const struct chain *chain, uint64_t base);

native_kernel levels_cpu_fill_chain;
native_kernel levels_cpu_chase;
native_kernel levels_cpu_chase_atomic;

// Each thread of the grid follows several chains at once. Arguments: the addresses where all chains continue, a
// thread's after the ones of the thread before; how many chains a thread follows; steps.
native_kernel levels_cpu_chase_several;

#endif
