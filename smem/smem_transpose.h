// Points of the transposes.
#ifndef SMEM_SMEM_TRANSPOSE_H
#define SMEM_SMEM_TRANSPOSE_H

#include "bench/probe.h"

enum status smem_check_transpose(const struct run *run, const struct point *point, struct error *error);

enum status smem_measure_transpose(struct run *run, const struct point *point, struct error *error);

void smem_finish_transpose(struct run *run);

#endif
