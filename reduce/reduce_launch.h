// The launches of a reduction.
#ifndef REDUCE_REDUCE_LAUNCH_H
#define REDUCE_REDUCE_LAUNCH_H

#include "reduce/reduce_job.h"

struct launch reduce_launch(const struct reduce_job *job, uint32_t number,
                            struct argument arguments[REDUCE_ARGUMENTS_MAX]);

#endif
