// What atomics of global memory take: docs/simulator.md, Time.
#ifndef MODEL_ATOMIC_H
#define MODEL_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "model/gpus.h"

enum {
    ATOMIC_RUN_BYTES = 256 // neighbouring bytes that one slice of the L2 serves
};

// Slices of the L2, each of which moves 64 bytes per clock.
uint32_t atomic_slices(const struct gpu *gpu);

// Turns on one address that an atomic takes, in additions of integers.
double atomic_turns(bool floating);

// Bytes of a slice's time that an atomic takes.
double atomic_slice_bytes(uint32_t width_bytes, bool floating);

// Clocks of the address with the most turns, or of the slice with the most bytes.
double atomic_clocks(double turns, double slice_bytes);

#endif
