// C = A * B^T for n x n matrices, in tiles of 32 x 32: rows of A times rows of B, as in attention layers and distance
// matrices. Neighbouring threads read neighbouring rows of b_tile, 32 words apart.
//   -D PADDING=1  puts the rows 33 words apart.
#define TILE 32
#ifndef PADDING
#define PADDING 0
#endif

__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE + PADDING];
    int x = threadIdx.x, y = threadIdx.y;
    int a_row = blockIdx.y * TILE + y, b_row = blockIdx.x * TILE + y;

    float sum = 0;
    for (int first = 0; first < n; first += TILE) {
        a_tile[y][x] = a[a_row * n + first + x];
        b_tile[y][x] = b[b_row * n + first + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            float from_a = a_tile[y][k];
            float from_b = b_tile[x][k];
            sum += from_a * from_b;
        }
        __syncthreads();
    }
    c[a_row * n + blockIdx.x * TILE + x] = sum;
}
