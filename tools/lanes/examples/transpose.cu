// Transposes an n x n matrix in tiles of 32 x 32. Reads and writes of global memory use whole rows. The cost is in
// shared memory, where the tile is written by row and read by column.
//   -D PADDING=1  adds one element to each row of the tile, which removes the columns' conflicts.
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
