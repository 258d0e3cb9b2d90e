// Points of the variants whose accesses follow a pattern of lanes.
#ifndef SMEM_SMEM_ACCESS_H
#define SMEM_SMEM_ACCESS_H

#include "bench/probe.h"

enum status smem_check_access(const struct run *run, const struct point *point, struct error *error);

enum status smem_measure_access(struct run *run, const struct point *point, struct error *error);

#endif
