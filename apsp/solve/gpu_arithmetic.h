// The number of min-plus updates of a solution, and the least time that a device's arithmetic takes for them.
#ifndef APSP_SOLVE_GPU_ARITHMETIC_H
#define APSP_SOLVE_GPU_ARITHMETIC_H

#include "apsp/solve/gpu.h"

// Updates of a phase in a solution, by all GPUs that share it; NaN for a step without updates.
double apsp_gpu_updates(const struct apsp_gpu *gpu, enum apsp_step step);

// Updates a second, in 10^9, that the arithmetic allows at this clock or the stated one, whichever is higher; NaN if
// the model does not know the part.
double apsp_gpu_peak_gop_s(const struct apsp_gpu *gpu, double clock_mhz);

// The least time that the arithmetic of one launch takes; NaN if either of the above is.
double apsp_gpu_least_ns(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot);

#endif
