// The backends behind device.h, a folder each.
#ifndef DEVICE_BACKENDS_H
#define DEVICE_BACKENDS_H

#include "device/device.h"

// Each is defined only where it is part of the build: HAVE_CUDA, HAVE_HIP, always, HAVE_SIM.
extern const struct backend cuda_backend, hip_backend, cpu_backend, sim_backend;

#endif
