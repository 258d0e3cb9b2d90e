// What a run reduces, and how: its types and sizes, and each reduction's launches, blocks and tiles. Block b of a
// launch sums tiles b, b + grid, b + 2 * grid, ... of its input.
#ifndef REDUCE_REDUCE_PLAN_H
#define REDUCE_REDUCE_PLAN_H

#include "reduce/reduce_summary.h"

// The types that --type names, one bit each.
enum status reduce_types(const struct reduce_session *session, unsigned *types, struct error *error);

bool reduce_has_type(const struct reduce_detail *detail, enum reduce_type type);

// The smallest power of two that exceeds the last-level cache by CACHE_MULTIPLE, the same for every variant.
uint64_t reduce_default_elements(const struct device_info *info, size_t bytes);

// The elements of a point, where 0 stands for the default.
uint64_t reduce_elements(const struct run *run, const struct point *point, enum reduce_type type);

// Whether the point is one of the many default sizes of a variant.
bool reduce_is_swept(const struct run *run, const struct point *point);

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
