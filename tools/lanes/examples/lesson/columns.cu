// Turns a matrix of n x n floats, tile by tile: blocks of 32x8, a grid of n/32 x n/32.
#ifndef PITCH
#define PITCH 32
#endif

extern "C" __global__ void columns(const float *in, float *out, int n) {
    __shared__ float tile[32][PITCH];
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32;
    for (int i = threadIdx.y; i < 32; i += 8) {
        tile[i][threadIdx.x] = in[(row + i) * n + column];
    }
    __syncthreads();
    const int to_column = blockIdx.y * 32 + threadIdx.x, to_row = blockIdx.x * 32;
    for (int i = threadIdx.y; i < 32; i += 8) {
        out[(to_row + i) * n + to_column] = tile[threadIdx.x][i];
    }
}
