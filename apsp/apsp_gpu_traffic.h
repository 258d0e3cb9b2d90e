// The bytes that the kernels read and write, counted word by word in their sources.
#ifndef APSP_APSP_GPU_TRAFFIC_H
#define APSP_APSP_GPU_TRAFFIC_H

#include "apsp/solve/gpu.h"

struct apsp_traffic {
    double global_bytes, shared_bytes; // read and written
};

// The traffic of all launches of a phase in a solution.
struct apsp_traffic apsp_gpu_traffic(const struct apsp_gpu *gpu, enum apsp_step step);

#endif
