// C = A * B for matrices of N x N, whose tiles of TILE x TILE are loaded four floats at a time. Each thread computes
// four neighbouring elements of C.
//   --entry 'gemm<32>' --block 8x32 (a fourth of the tile's width) --grid N/32 x N/32
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#ifndef PADDING
#define PADDING 0
#endif

template <int TILE> __global__ void gemm(float *c, const float *a, const float *b, int n) {
    __shared__ float4 a_tile[TILE][TILE / 4 + PADDING], b_tile[TILE][TILE / 4];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + 4 * x;

    float4 sum = make_float4(0, 0, 0, 0);
    for (int first = 0; first < n; first += TILE) {
        a_tile[y][x] = *reinterpret_cast<const float4 *>(&a[row * n + first + 4 * x]);
        b_tile[y][x] = *reinterpret_cast<const float4 *>(&b[(first + y) * n + column]);
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            const float from_a = reinterpret_cast<const float *>(a_tile[y])[k];
            const float4 from_b = b_tile[k][x];
            sum.x += from_a * from_b.x;
            sum.y += from_a * from_b.y;
            sum.z += from_a * from_b.z;
            sum.w += from_a * from_b.w;
        }
        __syncthreads();
    }
    *reinterpret_cast<float4 *>(&c[row * n + column]) = sum;
}

int main() {
    const int n = 1024;
    std::vector<float> host(n * n, 1.0f);
    float *a, *b, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    cudaMemcpy(a, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    gemm<32><<<dim3(n / 32, n / 32), dim3(8, 32)>>>(c, a, b, n);
    cudaMemcpy(host.data(), c, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
}
