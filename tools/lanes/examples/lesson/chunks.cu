// Doubles n elements, ITEMS of them in each thread: blocks of 256, a grid of n / (256 * ITEMS).
#ifndef INTERLEAVED
#define INTERLEAVED 0
#endif
#define ITEMS 16

extern "C" __global__ void chunks(const float *in, float *out) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int item = 0; item < ITEMS; item++) {
        const int at = INTERLEAVED ? item * threads + thread : thread * ITEMS + item;
        out[at] = 2 * in[at];
    }
}
