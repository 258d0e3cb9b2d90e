// Counts atomics on each address of global memory and on each slice of the L2. Both serve one after another.
#ifndef SIM_CONTENTION_H
#define SIM_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/gpus.h"
#include "util/error.h"

struct sim_contended {
    uint64_t address;      // 0: the slot is free
    uint64_t turns, bytes; // of its atomics
    uint64_t block;        // that issued the first of them
    bool by_several_blocks;
};

// A lane's atomic.
struct sim_atomic {
    uint64_t address, block;
    uint32_t width_bytes;
    bool floating;
};

// A hash table of the addresses that a launch's atomics went to.
struct sim_contention {
    struct sim_contended *slots; // NULL before the first atomic
    size_t size, used;           // size is a power of two
    uint32_t float_bytes;        // the widest float that was added; 0: none
};

// Counts one lane's atomic.
enum status sim_contention_add(struct sim_contention *contention, const struct sim_atomic *atomic);

// The turns on the most contended address. Blocks that were not simulated are assumed to use an address that several
// simulated blocks use: scale is the number of blocks in the grid for each simulated one.
double sim_contention_most(const struct sim_contention *contention, double scale);

// The bytes of the slice that has the most. If simulated blocks have addresses of their own, the grid's other blocks
// are taken to have such, too, in the same order.
double sim_contention_slice_bytes(const struct sim_contention *contention, const struct gpu *gpu, double scale,
                                  uint64_t grid_blocks);

void sim_contention_destroy(struct sim_contention *contention);

#endif
