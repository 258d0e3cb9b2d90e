// C = A * B of halves for matrices of n x n, by the matrix cores of CDNA. B is given by columns. Each of a block's four
// waves computes 32 x 32 of a tile of 64 x 64.
//   --block 256 --grid n/64 x n/64
#include <hip/hip_runtime.h>

#ifndef PADDING
#define PADDING 0
#endif

enum {
    TILE = 64,
    DEPTH = 32, // of a step
    PART = 32   // of a wave
};

typedef _Float16 half4v __attribute__((ext_vector_type(4)));
typedef float float16v __attribute__((ext_vector_type(16)));

extern "C" __global__ void gemm(float *c, const _Float16 *a, const _Float16 *b, int n) {
    __shared__ _Float16 a_tile[TILE][DEPTH + PADDING], b_tile[TILE][DEPTH + PADDING];
    const int lane = threadIdx.x % 64, wave = threadIdx.x / 64;
    const int part_row = wave / 2 * PART, part_column = wave % 2 * PART;
    const int row = threadIdx.x / 8, k = threadIdx.x % 8 * 4;

    float16v sum = {};
    for (int first = 0; first < n; first += DEPTH) {
        for (int i = row; i < TILE; i += 32) {
            *(half4v *)&a_tile[i][k] = *(const half4v *)&a[(blockIdx.y * TILE + i) * n + first + k];
            *(half4v *)&b_tile[i][k] = *(const half4v *)&b[(blockIdx.x * TILE + i) * n + first + k];
        }
        __syncthreads();
        for (int step = 0; step < DEPTH; step += 8) {
            const half4v from_a = *(const half4v *)&a_tile[part_row + lane % 32][step + lane / 32 * 4];
            const half4v from_b = *(const half4v *)&b_tile[part_column + lane % 32][step + lane / 32 * 4];
            sum = __builtin_amdgcn_mfma_f32_32x32x8f16(from_a, from_b, sum, 0, 0, 0);
        }
        __syncthreads();
    }
    for (int i = 0; i < 16; i++) {
        const int from_part = i / 4 * 8 + lane / 32 * 4 + i % 4;
        c[(blockIdx.y * TILE + part_row + from_part) * n + blockIdx.x * TILE + part_column + lane % 32] = sum[i];
    }
}
