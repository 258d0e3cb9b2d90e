// Finds the GPU that was probably meant.
#ifndef MODEL_GPU_SUGGEST_H
#define MODEL_GPU_SUGGEST_H

// The name in the table of GPUs that is nearest to this one; NULL if none is near.
const char *gpu_suggest(const char *name);

#endif
