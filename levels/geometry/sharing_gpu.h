// The number of a GPU's units that share a level with one of them: which of them find there what that one has loaded.
#ifndef LEVELS_GEOMETRY_SHARING_GPU_H
#define LEVELS_GEOMETRY_SHARING_GPU_H

#include "levels/geometry/run.h"

struct sharers {
    uint32_t count;
    double confidence_pct;
    uint32_t documented; // 0: not known
    const char *reason;  // why there is no count; NULL: there is one
};

// The first call measures the latencies of all units, which later calls read.
enum status sharing_gpu_ask(struct geometry *geometry, const struct geometry_level *level, struct sharers *sharers,
                            struct error *error);

#endif
