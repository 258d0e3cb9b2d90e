// Measures a point on the run's GPU or, if the variant says so, on several GPUs of its backend together.
#ifndef APSP_APSP_MEASURE_GPU_H
#define APSP_APSP_MEASURE_GPU_H

#include "apsp/apsp_gpu_job.h"
#include "bench/probe.h"

enum status apsp_measure_gpu(struct run *run, const struct point *point, struct error *error);

#endif
