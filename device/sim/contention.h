// Counts atomics on each address of global memory. Atomics on one address run one after another.
#ifndef DEVICE_SIM_CONTENTION_H
#define DEVICE_SIM_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct sim_contended {
    uint64_t address; // 0: the slot is free
    uint64_t atomics;
    uint64_t block; // that issued the first of them
    bool by_several_blocks;
};

// A hash table of the addresses that a launch's atomics went to.
struct sim_contention {
    struct sim_contended *slots; // NULL before the first atomic
    size_t size, used;           // size is a power of two
};

// Counts one lane's atomic.
enum status sim_contention_add(struct sim_contention *contention, uint64_t address, uint64_t block);

// The number of atomics on the most contended address. Blocks that were not simulated are assumed to use an address
// that several simulated blocks use: scale is the number of blocks in the grid for each simulated one.
double sim_contention_most(const struct sim_contention *contention, double scale);

void sim_contention_destroy(struct sim_contention *contention);

#endif
