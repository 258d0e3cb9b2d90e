// The distance of each body from the origin: blocks of 256, a thread for each body.
#ifndef APART
#define APART 0
#endif

struct body {
    float x, y, z, mass;
    float speed[4];
};

extern "C" __global__ void bodies(const body *all, const float *x, const float *y, const float *z, float *distance) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float px = APART ? x[i] : all[i].x;
    const float py = APART ? y[i] : all[i].y;
    const float pz = APART ? z[i] : all[i].z;
    distance[i] = sqrtf(px * px + py * py + pz * pz);
}
