// A histogram in the dialect of the project's kernels, for test_memory.sh.
#include "device/kernel/kernel.h"

KERNEL void histogram(const uint8_t *bytes, int count, uint32_t *bins) {
    __shared__ uint32_t own[256];
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) {
        own[i] = 0;
    }
    __syncthreads();
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += (int)(gridDim.x * blockDim.x)) {
        atomicAdd(&own[bytes[i]], 1u);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) {
        atomicAdd(&bins[i], own[i]);
    }
}
