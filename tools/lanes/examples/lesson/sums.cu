// The sum of each block's elements: blocks of 256.
#ifndef NEIGHBOURS
#define NEIGHBOURS 0
#endif

extern "C" __global__ void sums(const float *in, float *out) {
    __shared__ float part[256];
    const int i = threadIdx.x;
    part[i] = in[blockIdx.x * 256 + i];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        const int apart = NEIGHBOURS ? 128 / step : step;
        if (NEIGHBOURS ? i < apart : i % (2 * step) == 0) {
            part[i] += part[i + apart];
        }
        __syncthreads();
    }
    if (i == 0) {
        out[blockIdx.x] = part[0];
    }
}
