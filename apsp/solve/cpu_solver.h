// The packed solvers that this machine can run, by vector instructions and width of a distance.
#ifndef APSP_SOLVE_CPU_SOLVER_H
#define APSP_SOLVE_CPU_SOLVER_H

#include <stddef.h>
#include <stdint.h>

#include "apsp/solve/cpu_vector.h"

struct solver_pair {
    const char *name; // of the vector instructions
    const struct solver *of_32, *of_16;
};

// The pair of this index among those that this machine can run, widest vectors first; NULL beyond the last.
const struct solver_pair *solver_pair(size_t index);

// The solver with the widest vectors that this machine can run. width_bytes is 4 or 2.
const struct solver *solver_of(size_t width_bytes);

// ---- The peak of the arithmetic ----

// The rate of add-min instructions alone on all threads, which no solver on the CPU can exceed.

// Rates of several windows of time, in 10^9 updates a second.
struct apsp_cpu_peak {
    double *gop_s;
    size_t windows;
    double ended_ns; // when the latest window did
};

// Measures a window of window_ns, within 1 to 20 ms. width_bytes is 4 or 2.
void apsp_cpu_peak_window(struct apsp_cpu_peak *peak, uint32_t width_bytes, double window_ns);

// NaN before the first window.
double apsp_cpu_peak_median(struct apsp_cpu_peak *peak);
double apsp_cpu_peak_best(struct apsp_cpu_peak *peak);

void apsp_cpu_peak_release(struct apsp_cpu_peak *peak);

// The best of 8 windows. Takes a sixth of a second.
double apsp_cpu_peak_gop_s(uint32_t width_bytes);

#endif
