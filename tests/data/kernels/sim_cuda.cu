// A user's CUDA file: it does not use the dialect, and contains words that C lacks.
#include <assert.h>
#include <cuda_runtime.h>
#include <stdio.h>

extern "C" __global__ __launch_bounds__(256) void reverse(const int *in, int *out) {
    extern __shared__ int values[]; // "extern" in a comment, { in another
    values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

extern "C" {

__device__ __forceinline__ float twice(float x) {
    return 2.0f * x; /* } */
}

__global__ void scale(float *__restrict__ data, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 2; k++)
        if (i < n)
            data[i] = twice(data[i]);
}
}

__global__ void positive(const int *in, int n) {
    assert(n > 3 || in[threadIdx.x] > 0);
    if (n > 3)
        __trap();
}
