// What CUDA's driver needs to know about NVRTC.
#ifndef DEVICE_GPU_NVRTC_H
#define DEVICE_GPU_NVRTC_H

#include <stddef.h>

// The archs that NVRTC compiles for, 90 for sm_90, to be freed; *count is 0 if it does not tell.
int *nvrtc_archs(size_t *count);

#endif
