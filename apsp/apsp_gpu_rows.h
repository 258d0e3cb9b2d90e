// The rows of a measurement on GPUs.
#ifndef APSP_APSP_GPU_ROWS_H
#define APSP_APSP_GPU_ROWS_H

#include "apsp/apsp_gpu_job.h"

// Emits the rows of a measurement that is done, and writes the file of its result.
enum status apsp_job_emit(struct apsp_job *job, const struct measurement *measurement, enum verification verification,
                          struct error *error);

#endif
