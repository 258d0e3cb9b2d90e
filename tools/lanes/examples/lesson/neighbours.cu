// The mean of each element and its two neighbours in the block: blocks of 256.
#ifndef WAIT
#define WAIT 0
#endif

extern "C" __global__ void neighbours(const float *in, float *out) {
    __shared__ float part[256 + 2];
    const int i = threadIdx.x, at = blockIdx.x * 256 + i;
    part[i + 1] = in[at];
    if (i == 0) {
        part[0] = part[257] = 0;
    }
    if (WAIT) {
        __syncthreads();
    }
    out[at] = (part[i] + part[i + 1] + part[i + 2]) / 3;
}
