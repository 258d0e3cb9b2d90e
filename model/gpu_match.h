// Finds the row of the table of GPUs that describes a driver's device.
#ifndef MODEL_GPU_MATCH_H
#define MODEL_GPU_MATCH_H

#include "model/gpus.h"

// By the driver's name for the device ("NVIDIA H200", "AMD Instinct MI210"), its arch such as "gfx90a:sramecc+" (or
// NULL) and the number of its compute units (or 0); NULL if no row fits.
const struct gpu *gpu_match(const char *device_name, const char *arch, uint32_t compute_units);

#endif
