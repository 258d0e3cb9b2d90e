// Finds by measuring which of gmem's methods are the fastest on this machine (gmem/gmem_cpu.h), and chooses them.
#ifndef GMEM_GMEM_CPU_TUNE_H
#define GMEM_GMEM_CPU_TUNE_H

#include "device/device.h"
#include "gmem/gmem_cpu.h"

struct gmem_cpu_tuning {
    const char *method;
    double gb_s; // of its fastest run; 0: there was no memory to try it in, and the first method stays
};

// For each of enum gmem_operation, with all threads, in arrays just larger than the caches: some tenths of a second.
void gmem_cpu_tune(struct device *device, struct gmem_cpu_tuning found[GMEM_CPU_OPERATIONS]);

#endif
