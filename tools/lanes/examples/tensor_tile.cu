// C = A * B^T of 64 x 64 halves by tensor cores, as libraries do it: a tile's rows are 128 bytes, in 8 pieces of 16
// bytes, and ldmatrix reads one piece of each of 8 rows at a time.
//   plain     keeps piece p of row r at place p, so that these 8 pieces lie in the same banks.
//   swizzled  keeps it at place p ^ (r % 8), so that they lie in different ones.
// Inline PTX runs with --via ptx, or from tensor_tile.ptx, which nvcc -arch=sm_80 -lineinfo -ptx made of this file.
#include <cuda_fp16.h>

constexpr int SIZE = 64, PIECES = SIZE / 8;

template <bool SWIZZLED> __device__ half *piece(half (&tile)[SIZE][SIZE], int row, int place) {
    return &tile[row][8 * (SWIZZLED ? place ^ row % PIECES : place)];
}

__device__ unsigned shared_address(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

template <bool SWIZZLED> __device__ void multiply(const half *a, const half *b, float *c) {
    __shared__ alignas(128) half a_tile[SIZE][SIZE], b_tile[SIZE][SIZE];
    const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 16;
    for (int i = threadIdx.x; i < SIZE * PIECES; i += blockDim.x) {
        const int row = i / PIECES, place = i % PIECES;
        *(uint4 *)piece<SWIZZLED>(a_tile, row, place) = ((const uint4 *)a)[i];
        *(uint4 *)piece<SWIZZLED>(b_tile, row, place) = ((const uint4 *)b)[i];
    }
    __syncthreads();

    float sum[SIZE / 8][4] = {};
#pragma unroll 1
    for (int k = 0; k < PIECES; k += 2) {
        unsigned x[4], y[2];
        const unsigned from_a = shared_address(piece<SWIZZLED>(a_tile, first + lane % 16, k + lane / 16));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(from_a));
        for (int column = 0; column < SIZE / 8; column++) {
            const unsigned from_b = shared_address(piece<SWIZZLED>(b_tile, 8 * column + lane % 8, k + lane / 8 % 2));
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                         : "=r"(y[0]), "=r"(y[1])
                         : "r"(from_b));
            asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
                "%1, %2, %3};"
                : "+f"(sum[column][0]), "+f"(sum[column][1]), "+f"(sum[column][2]), "+f"(sum[column][3])
                : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
        }
    }
    for (int column = 0; column < SIZE / 8; column++) {
        float2 *out = (float2 *)(c + (first + lane / 4) * SIZE + 8 * column) + lane % 4;
        out[0] = make_float2(sum[column][0], sum[column][1]);
        out[8 * SIZE / 2] = make_float2(sum[column][2], sum[column][3]);
    }
}

extern "C" __global__ void plain(const half *a, const half *b, float *c) {
    multiply<false>(a, b, c);
}

extern "C" __global__ void swizzled(const half *a, const half *b, float *c) {
    multiply<true>(a, b, c);
}
