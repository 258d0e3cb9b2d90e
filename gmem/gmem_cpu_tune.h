// Finds the fastest of gmem's methods on this machine (gmem/gmem_cpu.h).
#ifndef GMEM_GMEM_CPU_TUNE_H
#define GMEM_GMEM_CPU_TUNE_H

#include "device/device.h"
#include "gmem/gmem_cpu.h"

struct gmem_cpu_tuning {
    size_t method; // value of the constant METHOD
    double gb_s;   // of its fastest run; 0: there was no trial, so the first method is taken
};

// Tries each operation with all threads, in arrays just larger than the caches. This takes some tenths of a second.
void gmem_cpu_tune(struct device *device, struct gmem_cpu_tuning found[GMEM_CPU_OPERATIONS]);

#endif
