// The backends behind device.h, one file each.
#ifndef DEVICE_BACKENDS_H
#define DEVICE_BACKENDS_H

#include "device/device.h"

extern const struct device_operations cuda_backend, hip_backend, cpu_backend, sim_backend;

// What device_simulate_blocks was told last; 0: all blocks of a grid.
uint64_t device_simulated_blocks(void);

#endif
