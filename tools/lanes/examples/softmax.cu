// The softmax of each row: a block for each row, a warp's lanes fold by shuffles, warps by shared memory.
#include <cfloat>

template <class Fold> __device__ float fold_block(float value, float *partial, Fold fold) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value = fold(value, __shfl_xor_sync(~0u, value, offset));
    if (threadIdx.x % warpSize == 0)
        partial[threadIdx.x / warpSize] = value;
    __syncthreads();
    value = partial[0];
    for (int warp = 1; warp < blockDim.x / warpSize; warp++)
        value = fold(value, partial[warp]);
    __syncthreads();
    return value;
}

__global__ void softmax(float *out, const float *in, int columns) {
    __shared__ float partial[32];
    const float *row = in + blockIdx.x * columns;

    float most = -FLT_MAX;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, row[i]);
    most = fold_block(most, partial, [](float a, float b) { return fmaxf(a, b); });

    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += __expf(row[i] - most);
    sum = fold_block(sum, partial, [](float a, float b) { return a + b; });

    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * columns + i] = __expf(row[i] - most) / sum;
}
