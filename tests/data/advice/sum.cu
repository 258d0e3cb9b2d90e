// Adds all elements, each by an atomic, or, with -D WARPS=1, those of a warp by one.
#ifndef WARPS
#define WARPS 0
#endif

__global__ void sum(const int *data, int *out) {
    int own = data[blockIdx.x * blockDim.x + threadIdx.x];
#if WARPS
    for (int apart = warpSize / 2; apart > 0; apart /= 2)
        own += __shfl_xor_sync(0xffffffff, own, apart);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(out, own);
#else
    atomicAdd(out, own);
#endif
}
