// Counts bytes: each block has a separate histogram in shared memory and adds it to the result at its end. The data
// decide how many lanes access one bank. The model counts an atomic as a store and does not know the cost of lanes that
// add to the same bin, as in --arg buffer:uchar:64K:zero.
#define BINS 256

__global__ void histogram(const unsigned char *data, int count, unsigned *result) {
    __shared__ unsigned bins[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        bins[bin] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1u);
    __syncthreads();

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        atomicAdd(&result[bin], bins[bin]);
}
