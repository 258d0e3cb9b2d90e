// A barrier is missing: of the warp, of the block, and of the block where a lane of the same warp is the first to race.
__global__ void within_warp(const float *in, float *out) {
    __shared__ float part[256];
    part[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = part[threadIdx.x ^ 1];
}

__global__ void across(const float *in, float *out) {
    __shared__ float part[256];
    part[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = part[255 - threadIdx.x];
}

__global__ void neighbour(const float *in, float *out) {
    __shared__ float part[256];
    part[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = part[(threadIdx.x + 1) % 256];
}
