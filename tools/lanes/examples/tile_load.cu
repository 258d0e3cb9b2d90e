// Two ways to copy a tile of 32 x 32 from a matrix of n columns into shared memory. by_row: neighbouring threads read
// neighbouring elements. by_column: they read neighbouring rows, n elements apart, and write a column of the tile.
#define TILE 32

__global__ void by_row(const float *matrix, float *sums, int n) {
    __shared__ float tile[TILE][TILE];
    tile[threadIdx.y][threadIdx.x] = matrix[threadIdx.y * n + threadIdx.x];
    __syncthreads();
    if (threadIdx.y == 0) {
        float sum = 0;
        for (int row = 0; row < TILE; row++)
            sum += tile[row][threadIdx.x];
        sums[threadIdx.x] = sum;
    }
}

__global__ void by_column(const float *matrix, float *sums, int n) {
    __shared__ float tile[TILE][TILE];
    tile[threadIdx.x][threadIdx.y] = matrix[threadIdx.x * n + threadIdx.y];
    __syncthreads();
    if (threadIdx.y == 0) {
        float sum = 0;
        for (int row = 0; row < TILE; row++)
            sum += tile[row][threadIdx.x];
        sums[threadIdx.x] = sum;
    }
}
