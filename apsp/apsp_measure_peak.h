// Measures the rates of the instructions that every variant consists of, from registers alone, on a GPU.
#ifndef APSP_APSP_MEASURE_PEAK_H
#define APSP_APSP_MEASURE_PEAK_H

#include "bench/probe.h"

enum status apsp_measure_gpu_peak(struct run *run, const struct point *point, struct error *error);

#endif
