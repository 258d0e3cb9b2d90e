// levels' kernels for the CPU, in C: first those of levels.cu, with its arguments and results. A chase has one thread.
// Its record has no cycles, because the CPU's counters do not count core cycles, and its ticks are nanoseconds.
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

// Each of several threads follows several chains at once. The cursors say where all of these continue, a thread's after
// the ones of the thread before.
void levels_cpu_chase_several(uint64_t *cursors, uint32_t threads, uint32_t chains, uint32_t steps);

// ---- loaded.cu (loaded_cpu.c) ----

enum {
    LOADED_CPU_CHUNK_BYTES = 4096,
    LOADED_CPU_STEPS = 32, // of a round
};

// The first thread of the grid follows the chain, and the others make the traffic. Takes one more argument than the
// kernel for GPUs: the traffic in percent of the threads' full rate, which each thread limits by waiting after a chunk.
// The state's ticks are nanoseconds.
native_kernel levels_cpu_chase_loaded;

// ---- stream.cu (stream_cpu.c) ----

// Those of its kernels whose blocks have separate chunks, in vectors. A thread is a block, and launch->block.x is the
// number of 16-byte words of a chunk.
native_kernel levels_cpu_unit_read, levels_cpu_unit_write, levels_cpu_unit_copy, levels_cpu_piece_read;

#endif
