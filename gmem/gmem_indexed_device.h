// Indices that a GPU makes, and checks of gathers and scatters that run on it (gmem/indexed_device.cu).
#ifndef GMEM_GMEM_INDEXED_DEVICE_H
#define GMEM_GMEM_INDEXED_DEVICE_H

#include "gmem/gmem_measure.h"

// Whether the GPU makes the job's indices: a real one, unless a file gives them.
bool gmem_indexed_on_device(const struct gmem_job *job);

// Makes an array's indices, and compares their sum and some of them with the host's.
enum status gmem_indexed_make(struct gmem_job *job, uint32_t array, struct error *error);

// The sum that a gather's sink must add up to.
enum status gmem_indexed_expect_sum(struct gmem_job *job, uint32_t *sum, struct error *error);

// Sets *right to whether each element of the destination is right.
enum status gmem_indexed_check_destination(struct gmem_job *job, bool *right, struct error *error);

#endif
