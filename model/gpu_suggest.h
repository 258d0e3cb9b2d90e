// Finds the GPU that was probably meant, or those that are most like it.
#ifndef MODEL_GPU_SUGGEST_H
#define MODEL_GPU_SUGGEST_H

#include <stddef.h>

// The name in the table of GPUs that is nearest to this one; NULL if none is near.
const char *gpu_suggest(const char *name);

// The architecture that a GPU's name tells: "rtx4060", "MI308X", "gfx942"; NULL if it tells none. `parts` becomes the
// table's parts of that architecture, separated by ", ".
const char *gpu_suggest_family(const char *name, char *parts, size_t size);

#endif
