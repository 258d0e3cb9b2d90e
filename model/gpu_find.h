// Finds a row of the table of GPUs: by a driver's name for its device, or the one that was probably meant.
#ifndef MODEL_GPU_FIND_H
#define MODEL_GPU_FIND_H

#include <stddef.h>

#include "model/gpus.h"

// ---- The device of a driver ----

// By the driver's name for the device ("NVIDIA H200", "AMD Instinct MI210"), its arch such as "gfx90a:sramecc+" (or
// NULL) and the number of its compute units (or 0); NULL if no row fits.
const struct gpu *gpu_match(const char *device_name, const char *arch, uint32_t compute_units);

// ---- The GPU that was probably meant ----

// The name in the table of GPUs that is nearest to this one; NULL if none is near.
const char *gpu_suggest(const char *name);

// The architecture that a GPU's name tells: "rtx4060", "MI308X", "gfx942"; NULL if it tells none. `parts` becomes the
// table's parts of that architecture, separated by ", ".
const char *gpu_suggest_family(const char *name, char *parts, size_t size);

#endif
