// Counts bytes: each block has a histogram of its own in shared memory and adds it to the result at its end. How many
// lanes meet in one bank depends on the data. The model counts an atomic as a store; what it costs when lanes add to
// one and the same bin, as in --arg buffer:uchar:64K:zero, it does not know.
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
