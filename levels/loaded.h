// loaded-latency: the latency of a chase through memory while other blocks, or threads of a CPU, read and write memory.
#ifndef LEVELS_LOADED_H
#define LEVELS_LOADED_H

#include "bench/probe.h"
#include "levels/chase.h"

// Kept from point to point.
struct loaded {
    struct run *run;
    struct chase chase; // builds the chain; the kernel of loaded.cu follows it, and loaded.c checks the end
    struct kernel *kernel;
    uint64_t memory, state, touched; // device addresses
    uint64_t memory_bytes;
    uint64_t visited;
};

// STATUS_NO_DEVICE: nothing can make traffic beside the chase.
enum status levels_supports_loaded(const struct device_info *info, const char *variant, struct error *error);

enum status levels_check_loaded(const struct run *run, const struct point *point, struct error *error);
void levels_cost_loaded(const struct run *run, const struct point *point, struct point_cost *cost);
enum status levels_measure_loaded(struct run *run, const struct point *point, struct error *error);
void levels_finish_loaded(struct run *run);

#endif
