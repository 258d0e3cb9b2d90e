// A row of model/gpus.c for a GPU that has none: what the driver says of it, and what geometry has found.
#ifndef LEVELS_EMIT_GPU_H
#define LEVELS_EMIT_GPU_H

#include <stdio.h>

#include "device/device.h"
#include "levels/plateaus.h"

// The plateaus are those of loads, memory's the last. fetch_bytes is what a load from memory fetches, 0: not found.
void emit_gpu(FILE *file, const struct device_info *info, const struct plateau *plateaus, size_t count,
              uint32_t fetch_bytes);

#endif
