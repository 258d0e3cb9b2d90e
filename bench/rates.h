// Rates at which memory is allocated, filled, copied and checked, from which the plan estimates a point's cost.
#ifndef BENCH_RATES_H
#define BENCH_RATES_H

#include "bench/bench_device.h"

// Measures the CPU's rates, in about 50 ms. Elsewhere memory is so fast, or simulated, that its rates hardly matter.
// Also sets footprint_max, so that filling it takes a small share of the budget.
enum status rates_measure(struct bench_device *bench_device, double budget_s, struct error *error);

#endif
