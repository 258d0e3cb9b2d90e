// Latency of the smallest transfer: one load of a kernel, one word by the copy engine.
#ifndef LINKS_LATENCY_H
#define LINKS_LATENCY_H

#include "bench/probe.h"

enum status links_measure_latency(struct run *run, const struct point *point, struct error *error);

#endif
