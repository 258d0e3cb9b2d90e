// What --list, --list-devices and --list-gpus print.
#ifndef BENCH_LISTING_H
#define BENCH_LISTING_H

#include "bench/probe.h"

void list_variants(const struct probe *probe);

// Every device found, and why a backend has none.
void list_devices(void);

// The GPUs that the simulator knows.
void list_gpus(void);

#endif
