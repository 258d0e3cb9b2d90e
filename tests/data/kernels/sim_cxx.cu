// CUDA C++ as people write it, with a host part. The tests run each kernel and check what it writes.
#include <cstdint>
#include <iostream>
#include <vector>

#include "sim_cxx.h"
#include <cuda_runtime.h>

const int TILE_DIM = 32;
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if ((call) != cudaSuccess)                                                                                     \
            exit(1);                                                                                                   \
    } while (0)

// ---- The host's, which a kernel does not need ----

std::vector<float> inputs;

void launch_all(cudaStream_t stream, const std::vector<float> &values) {
    std::cout << R"(a brace } and "quotes)" << '}' << std::endl;
    transpose<<<dim3(4, 4), dim3(32, 8), 0, stream>>>(nullptr, values.data());
    CHECK(cudaGetLastError());
}

// ---- The device's ----

// Constants, those that are written by the host as well as those of the file.
struct Filter {
    float weights[4];
    int shift;
};
__constant__ Filter filter = {{1, 10, 100, 1000}, 2};
__constant__ float zeros[64];
static const __constant__ int ones[4] = {1, 1, 1, 1};

__global__ void weigh(float *out, const float *in) {
    const int i = threadIdx.x;
    out[i] = in[i] * filter.weights[i % 4] + zeros[i] + ones[i % 4] + filter.shift;
}

// NVIDIA's own way: a const int as an array's size.
__global__ void transpose(float *out, const float *in) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    const int width = gridDim.x * TILE_DIM;
    for (int row = 0; row < TILE_DIM; row += ROWS)
        tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int row = 0; row < TILE_DIM; row += ROWS)
        out[(y + row) * width + x] = tile[threadIdx.x][threadIdx.y + row];
}

__global__ void scale(float *out, const float *in, uint32_t count) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count / 4) {
        float4 four = reinterpret_cast<const float4 *>(in)[i];
        four.x *= 2, four.y *= 3, four.z *= 4, four.w *= 5;
        reinterpret_cast<float4 *>(out)[i] = four; // one store of 16 bytes
    }
}

namespace matrices {
template <class T> struct Sum {
    T value = 0;
    __device__ Sum &operator+=(const T &more) {
        value += more;
        return *this;
    }
};

// Static and dynamic shared memory, whose types are the template's.
template <typename T, int N> __global__ void __launch_bounds__(N *N) product(T *out, const T *a, const T *b) {
    __shared__ T left[N][N];
    extern __shared__ __align__(16) unsigned char right_bytes[];
    T *right = (T *)right_bytes;
    left[threadIdx.y][threadIdx.x] = a[threadIdx.y * N + threadIdx.x];
    right[threadIdx.y * N + threadIdx.x] = b[threadIdx.y * N + threadIdx.x];
    __syncthreads();
    Sum<T> sum;
#pragma unroll N
    for (int k = 0; k < N; k++)
        sum += left[threadIdx.y][k] * right[k * N + threadIdx.x];
    out[threadIdx.y * N + threadIdx.x] = sum.value;
}
template __global__ void product<int, 4>(int *, const int *, const int *);
} // namespace matrices

template <class Function> __device__ unsigned block_fold(unsigned value, Function fold) {
    static __shared__ unsigned partial[32];
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value = fold(value, __shfl_down_sync(~0u, value, offset));
    if (threadIdx.x % warpSize == 0)
        partial[threadIdx.x / warpSize] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / warpSize ? partial[threadIdx.x] : partial[0];
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value = fold(value, __shfl_down_sync(~0u, value, offset));
    return value;
}

// out: the block's greatest value, a vote, a match, a fold by one instruction, what atomics leave.
__global__ void fold(unsigned *out, const unsigned *in) {
    const unsigned value = in[threadIdx.x];
    const unsigned most = block_fold(value, [](unsigned a, unsigned b) { return max(a, b); });
    if (threadIdx.x == 0)
        out[0] = most;
    if (threadIdx.x < warpSize) {
        out[1] = __ballot_sync(~0u, threadIdx.x & 1);
        out[2] = __match_any_sync(~0u, threadIdx.x / 4);
        out[3] = __reduce_min_sync(~0u, value);
    }
    const int odd = __syncthreads_count(threadIdx.x & 1);
    if (threadIdx.x == 0)
        out[4] = odd;
    atomicInc(out + 5, 9);
    atomicAdd_block(out + 6, 2);
    atomicMax(out + 7, value);
}

int main() {
    launch_all(nullptr, inputs);
    return 0;
}
