// Atomics that meet on one address of global memory: they go one after another, whoever asks.
#ifndef DEVICE_SIM_CONTENTION_H
#define DEVICE_SIM_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct sim_contended {
    uint64_t address; // 0: a free slot
    uint64_t atomics;
    uint64_t block; // the first that asked
    bool by_several_blocks;
};

// A hash table of the addresses that a launch's atomics went to.
struct sim_contention {
    struct sim_contended *slots; // NULL before the first
    size_t size, used;           // size is a power of two
};

// One atomic of a lane of a block.
enum status sim_contention_add(struct sim_contention *contention, uint64_t address, uint64_t block);

// The atomics on the address that has the most. Where several blocks met, those that were not simulated meet, too:
// scale says how many there are for each that was.
double sim_contention_most(const struct sim_contention *contention, double scale);

void sim_contention_destroy(struct sim_contention *contention);

#endif
