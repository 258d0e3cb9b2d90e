// Transposes an n x n matrix in tiles of 32 x 32. Both sides of global memory see whole rows; the price is paid in
// shared memory, where the tile is written by row and read by column.
//   -D PADDING=1  gives each row of the tile one element too many, and the columns are free of conflicts.
#define TILE 32
#ifndef PADDING
#define PADDING 0
#endif

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
