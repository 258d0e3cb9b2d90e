// Each element becomes the mean of the nine around it, which come from global memory, or, with -D TILE=1, from shared memory.
#ifndef TILE
#define TILE 0
#endif

__global__ void blur(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 4;
    float sum = 0;
#if TILE
    __shared__ float tile[256 + 8];
    tile[threadIdx.x] = in[i - 4];
    if (threadIdx.x < 8)
        tile[blockDim.x + threadIdx.x] = in[i - 4 + blockDim.x];
    __syncthreads();
    for (int k = 0; k <= 8; k++)
        sum += tile[threadIdx.x + k];
#else
    for (int k = -4; k <= 4; k++)
        sum += in[i + k];
#endif
    out[i] = sum / 9;
}
