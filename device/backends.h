// The backends behind device.h; each has a folder.
#ifndef DEVICE_BACKENDS_H
#define DEVICE_BACKENDS_H

#include "device/device.h"

// Each is defined only if it is part of the build: with HAVE_CUDA, with HAVE_HIP, always, with HAVE_SIM.
extern const struct backend cuda_backend, hip_backend, cpu_backend, sim_backend;

#endif
