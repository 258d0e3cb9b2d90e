// Each element becomes a weighted sum of itself and RADIUS neighbours on each side. The block's part of the row, with
// the neighbours at its ends, is staged in shared memory, so that global memory is read once.
template <int RADIUS> struct Weights {
    static constexpr int COUNT = 2 * RADIUS + 1;
    __device__ static constexpr float at(int i) {
        return 1.0f / COUNT;
    }
};

template <int RADIUS> __global__ void stencil(float *out, const float *in, int count) {
    extern __shared__ float part[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, own = threadIdx.x + RADIUS;
    part[own] = i < count ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        part[threadIdx.x] = i >= RADIUS ? in[i - RADIUS] : 0;
        part[own + blockDim.x] = i + blockDim.x < count ? in[i + blockDim.x] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += Weights<RADIUS>::at(k + RADIUS) * part[own + k];
    if (i < count)
        out[i] = sum;
}
