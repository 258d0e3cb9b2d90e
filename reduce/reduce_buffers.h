// A reduction's device memory: buffers, and the numbers in them.
#ifndef REDUCE_REDUCE_BUFFERS_H
#define REDUCE_REDUCE_BUFFERS_H

#include "reduce/reduce_job.h"

// Allocates what the plan needs, writes the numbers, and poisons the sums.
enum status reduce_buffers_prepare(struct reduce_job *job, struct error *error);
void reduce_buffers_release(struct reduce_job *job);

#endif
