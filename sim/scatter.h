// The multiplication of the simulator's hashes.
#ifndef SIM_SCATTER_H
#define SIM_SCATTER_H

#include <stdint.h>

// Multiplies by 2^64 over the golden ratio, which takes neighbouring numbers far apart. The upper bits are the best.
static inline uint64_t sim_scatter(uint64_t number) {
    return number * UINT64_C(0x9e3779b97f4a7c15);
}

#endif
