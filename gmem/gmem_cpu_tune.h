// Finds the fastest of gmem's methods on this machine (gmem/gmem_cpu.h), also while other programs use it.
#ifndef GMEM_GMEM_CPU_TUNE_H
#define GMEM_GMEM_CPU_TUNE_H

#include "device/device.h"
#include "gmem/gmem_cpu.h"

struct gmem_cpu_tuning {
    size_t method; // value of the constant METHOD
    double gb_s;   // of its fastest run; 0: there was no trial, so the first method is taken
};

// The times of a method so far.
struct gmem_cpu_record {
    double best_ns, median_ns;
};

// The method that other programs have disturbed least says little about the others, so the fastest runs count: of the
// methods whose fastest run is within 2 % of the best, the one with the lowest median.
size_t gmem_cpu_fastest(const struct gmem_cpu_record *records, size_t count);

// Tries the operations for which `wanted` is true with all threads, in arrays that exceed the caches. This takes about
// a tenth of a second each, and a second or more where other programs disturb it. The other elements of found are kept.
void gmem_cpu_tune(struct device *device, const bool wanted[GMEM_CPU_OPERATIONS],
                   struct gmem_cpu_tuning found[GMEM_CPU_OPERATIONS]);

// Whether a row's bandwidth is so far from what its method reached in the trials that the trials or the row were
// disturbed.
bool gmem_cpu_is_far(const struct gmem_cpu_tuning *tuning, double gb_s);

#endif
