// How a reduction is split into launches, blocks and tiles.
// Block b of a launch sums tiles b, b + grid, b + 2 * grid, ... of its input.
#ifndef REDUCE_REDUCE_PLAN_H
#define REDUCE_REDUCE_PLAN_H

#include "reduce/reduce.h"

enum {
    REDUCE_PASSES_MAX = 16
};

struct reduce_pass {
    uint64_t elements, tile; // elements of the input, and of one tile
    uint64_t grid;           // blocks; 1 for no elements
};

struct reduce_plan {
    const struct reduce_detail *detail;
    enum reduce_type type;
    uint32_t block;
    uint32_t items;      // 16-byte loads in flight in a thread of the limit variants
    uint32_t pass_count; // launches of the kernel
    struct reduce_pass pass[REDUCE_PASSES_MAX];
};

struct reduce_plan reduce_plan(const struct reduce_detail *detail, enum reduce_type type,
                               const struct device_info *info, uint32_t block, uint64_t elements);

// The most additions that a number goes through in the first `passes` launches.
double reduce_plan_depth(const struct reduce_plan *plan, uint32_t passes);

// Bytes of dynamic shared memory of a launch.
uint32_t reduce_plan_shared_bytes(const struct reduce_plan *plan, uint32_t warp_width);

#endif
