// The output of --help, --list, --list-devices and --list-gpus.
#ifndef BENCH_LISTING_H
#define BENCH_LISTING_H

#include "bench/probe.h"

void list_help(const struct probe *probe, const struct option_table *options, size_t table_count);

void list_variants(const struct probe *probe);

// Every device found, and the reason if a backend has none.
void list_devices(void);

// The GPUs that the simulator knows.
void list_gpus(void);

#endif
