// What CUDA's driver asks of NVRTC.
#ifndef DEVICE_GPU_NVRTC_H
#define DEVICE_GPU_NVRTC_H

#include <stddef.h>

// The archs that NVRTC compiles for, 90 for sm_90, to be freed; *count is 0 where it does not tell.
int *nvrtc_archs(size_t *count);

#endif
