// Moves particles. Their coordinates and speeds are members of a structure, or, with -D ARRAYS=1, arrays of their own.
#ifndef ARRAYS
#define ARRAYS 0
#endif

__global__ void move(float *p, float step, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if ARRAYS
    p[i] += step * p[i + 3 * n];
    p[i + n] += step * p[i + 4 * n];
    p[i + 2 * n] += step * p[i + 5 * n];
#else
    float *own = p + 6 * i;
    own[0] += step * own[3];
    own[1] += step * own[4];
    own[2] += step * own[5];
#endif
}
