// What atomics of global memory take: docs/simulator.md, Time.
#ifndef MODEL_ATOMIC_H
#define MODEL_ATOMIC_H

#include <stdint.h>

#include "model/gpus.h"

enum {
    ATOMIC_RUN_BYTES = 256 // neighbouring bytes that one slice of the L2 serves
};

// Slices of the L2, each of which moves 64 bytes per clock.
uint32_t atomic_slices(const struct gpu *gpu);

// Atomics of a launch that compete.
struct atomic_work {
    double turns;         // on the most contended address
    double slice_bytes;   // in the busiest slice of L2
    uint32_t float_bytes; // the width of those that are of floats; 0: none are
};

// Clocks of the most contended address, or of the busiest slice.
double atomic_address_clocks(const struct atomic_work *work);
double atomic_slice_clocks(const struct atomic_work *work);

#endif
