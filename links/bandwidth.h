// Bandwidth of a link by the size of a transfer.
#ifndef LINKS_BANDWIDTH_H
#define LINKS_BANDWIDTH_H

#include "bench/probe.h"

// ---- Bandwidth ----

// Refuses a footprint that is not a multiple of a kernel's word, or that does not fit.
enum status links_check_bandwidth(const struct run *run, const struct point *point, struct error *error);

// Leaves out default footprints that take much of the memory.
bool links_skip_bandwidth(const struct run *run, const struct point *point);

void links_cost_bandwidth(const struct run *run, const struct point *point, struct point_cost *cost);

// Emits a row for each route: alone, both ways, all at once.
enum status links_measure_bandwidth(struct run *run, const struct point *point, struct error *error);

#endif
