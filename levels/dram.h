// Reading pieces of a large memory: the state kept from point to point. The kernel is in levels/stream.cu.
#ifndef LEVELS_DRAM_H
#define LEVELS_DRAM_H

#include "bench/probe.h"

struct dram {
    struct device *device; // NULL: not open
    struct kernel *kernel;
    uint64_t memory, sums; // device addresses
    uint64_t memory_bytes;
};

bool levels_skip_dram(const struct run *run, const struct point *point);
enum status levels_check_dram(const struct run *run, const struct point *point, struct error *error);
void levels_cost_dram(const struct run *run, const struct point *point, struct point_cost *cost);
enum status levels_measure_dram(struct run *run, const struct point *point, struct error *error);
void levels_finish_dram(struct run *run);

#endif
