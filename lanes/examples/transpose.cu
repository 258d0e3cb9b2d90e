// A 32x32 transpose through shared memory. `padding` columns too many keep the columns of the tile off each other's
// banks: try -D PADDING=0 and -D PADDING=1.
#ifndef PADDING
#define PADDING 0
#endif
#define TILE 32

__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[TILE][TILE + PADDING];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    for (int row = 0; row < TILE; row += blockDim.y)
        tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += blockDim.y)
        out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}
