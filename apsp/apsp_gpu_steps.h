// Times a solution on GPUs step by step.
#ifndef APSP_APSP_GPU_STEPS_H
#define APSP_APSP_GPU_STEPS_H

#include "apsp/apsp_gpu_job.h"

// Runs the steps one after another and adds the time and the counts of each kernel to the job's tallies.
enum status apsp_measure_steps(struct apsp_job *job, struct error *error);

// Does so for up to nine solutions, and leaves the median time of each kernel.
enum status apsp_time_steps(struct apsp_job *job, struct error *error);

#endif
