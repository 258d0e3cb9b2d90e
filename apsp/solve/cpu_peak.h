// The rate of add-min instructions alone on all threads, which no solver on the CPU can exceed.
#ifndef APSP_SOLVE_CPU_PEAK_H
#define APSP_SOLVE_CPU_PEAK_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// Rates of several windows of time, in 10^9 updates a second.
struct apsp_cpu_peak {
    double *gop_s;
    size_t windows, capacity;
    double ended_ns; // when the latest window did
};

// Measures a window of window_ns, within 1 to 20 ms. width_bytes is 4 or 2.
enum status apsp_cpu_peak_window(struct apsp_cpu_peak *peak, uint32_t width_bytes, double window_ns,
                                 struct error *error);

// NaN before the first window.
double apsp_cpu_peak_median(struct apsp_cpu_peak *peak);
double apsp_cpu_peak_best(struct apsp_cpu_peak *peak);

void apsp_cpu_peak_release(struct apsp_cpu_peak *peak);

// The best of 8 windows. Takes a sixth of a second.
double apsp_cpu_peak_gop_s(uint32_t width_bytes);

#endif
