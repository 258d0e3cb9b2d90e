// What a GPU's compiler makes of a kernel, as far as the simulator cannot find out by itself: a thread's instructions
// and registers.
#ifndef APSP_SOLVE_GPU_THREAD_H
#define APSP_SOLVE_GPU_THREAD_H

#include "apsp/solve/gpu.h"

// Instructions of a thread besides its memory accesses; 0: unknown.
double apsp_gpu_thread_instructions(const struct apsp_gpu *gpu, enum apsp_step step);

// 0: unknown.
uint32_t apsp_gpu_thread_registers(const struct apsp_gpu *gpu, enum apsp_step step);

#endif
