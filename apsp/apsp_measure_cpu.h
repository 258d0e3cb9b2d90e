// Measures a point on the CPU: a whole solution with the rate of add-min instructions alone, or only that rate.
#ifndef APSP_APSP_MEASURE_CPU_H
#define APSP_APSP_MEASURE_CPU_H

#include "bench/probe.h"

enum status apsp_measure_cpu(struct run *run, const struct point *point, struct error *error);
enum status apsp_measure_cpu_peak(struct run *run, const struct point *point, struct error *error);

#endif
