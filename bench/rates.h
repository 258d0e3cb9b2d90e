// How fast a device's memory is made, filled, copied and checked, so that a plan knows beforehand what a point costs.
#ifndef BENCH_RATES_H
#define BENCH_RATES_H

#include "bench/bench_device.h"

// On the CPU, in some 50 ms; elsewhere memory is so fast, or simulated, that other things count. Also sets the
// footprint that fits into a small share of the budget.
enum status rates_measure(struct bench_device *bench_device, double budget_s, struct error *error);

#endif
