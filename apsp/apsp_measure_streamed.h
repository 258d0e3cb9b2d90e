// Measures a solution whose matrix stays in the host's memory.
#ifndef APSP_APSP_MEASURE_STREAMED_H
#define APSP_APSP_MEASURE_STREAMED_H

#include "bench/probe.h"

enum status apsp_measure_streamed(struct run *run, const struct point *point, struct error *error);

#endif
