// Prints a row of model/gpus.c for a GPU that has none, from the driver's properties and the results of geometry.
#ifndef LEVELS_EMIT_GPU_H
#define LEVELS_EMIT_GPU_H

#include <stdio.h>

#include "device/device.h"
#include "levels/geometry/detect.h"

// Whether model/gpus.c has the rules of that architecture's family ("sm_90", "gfx942:sramecc+").
bool emit_gpu_knows(const char *arch);

// For a GPU of such a family. The plateaus are those of loads, and the last one is memory. fetch_bytes is what a load
// fetches from memory; 0: unknown.
void emit_gpu(FILE *file, const struct device_info *info, const struct plateau *plateaus, size_t count,
              uint32_t fetch_bytes);

#endif
