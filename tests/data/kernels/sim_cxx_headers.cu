// CUDA C++ with headers of the vendor, which take a compiler several seconds.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Dynamic shared memory that a class gives, as CUDA's samples have it, and shared variables of class types.
template <class T> struct SharedMemory {
    __device__ operator T *() {
        extern __shared__ int __memory[];
        return (T *)__memory;
    }
};
__global__ void turn(half *out, const half *in) {
    __shared__ half2 pairs[32];
    half *numbers = SharedMemory<half>();
    numbers[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    pairs[threadIdx.x] = __halves2half2(numbers[31 - threadIdx.x], numbers[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = pairs[threadIdx.x].x;
}

// The bits of numbers as half, as bfloat16, and of each half's own fused square plus one.
__global__ void small(unsigned short *halves, unsigned short *brains, unsigned short *squares, const double *in) {
    const __half half = __double2half(in[threadIdx.x]);
    halves[threadIdx.x] = __half_as_ushort(half);
    brains[threadIdx.x] = __bfloat16_as_ushort(__double2bfloat16(in[threadIdx.x]));
    squares[threadIdx.x] = __half_as_ushort(__hfma(half, half, __float2half(1.0f)));
}

// Each tile of 8 lanes folds its own, and the block adds what the tiles found.
__global__ void tiles(float *out, const float *in) {
    namespace groups = cooperative_groups;
    auto block = groups::this_thread_block();
    auto tile = groups::tiled_partition<8>(block);
    __shared__ float most[16];
    const float own = groups::reduce(tile, in[block.thread_rank()], groups::greater<float>());
    if (tile.thread_rank() == 0)
        most[tile.meta_group_rank()] = own;
    block.sync();
    if (block.thread_rank() == 0) {
        float sum = 0;
        for (int i = 0; i < block.size() / tile.size(); i++)
            sum += most[i];
        out[0] = sum;
    }
}
