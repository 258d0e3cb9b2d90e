// One thread of each block stores; a branch before that goes to all.
__global__ void few(const float *in, float *out) {
    float own = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (threadIdx.x == 0) out[blockIdx.x] = own;
}
