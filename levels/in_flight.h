// in-flight: bandwidth of memory by the bytes in flight.
#ifndef LEVELS_IN_FLIGHT_H
#define LEVELS_IN_FLIGHT_H

#include "bench/probe.h"
#include "levels/chase.h"

// On a CPU: one chain, and a kernel with which several threads follow it from several positions at once.
struct in_flight {
    struct chase chase;
    struct kernel *kernel;
    uint64_t cursors; // device address
};

enum status levels_check_in_flight(const struct run *run, const struct point *point, struct error *error);
bool levels_skip_in_flight(const struct run *run, const struct point *point);
void levels_cost_in_flight(const struct run *run, const struct point *point, struct point_cost *cost);
enum status levels_measure_in_flight(struct run *run, const struct point *point, struct error *error);
void levels_finish_in_flight(struct run *run);

#endif
