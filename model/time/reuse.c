#include "model/time/reuse.h"

#include <math.h>

// Half of the cache keeps them, and the other half holds what passes through meanwhile.
double lost_share(const struct gpu *gpu, double reach) {
    const double kept = (double)gpu->last_level_cache_bytes / 2;
    return reach > kept ? 1 - kept / reach : 0;
}

// Loads copy the other part's lines into a part of the L2, and stores do not.
double cache_taken(const struct gpu *gpu, double loaded, double stored) {
    return loaded + stored / (gpu->l2_parts > 1 ? gpu->l2_parts : 1);
}

// The first data that the earlier launch touched has met all of it, the last nothing of it but all of this launch.
double reuse_distance(double before, double since, double now, double covered) {
    return fmin(now, covered * (since + (before + now) / 2) + (1 - covered) * now);
}
