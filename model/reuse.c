#include "model/reuse.h"

#include <math.h>

#include "model/time_constants.h"

// An H200 reads 3143 MB for the 2^26 loads of 8 bytes of gmem's gather with windows of 64 MiB (ncu): 22 MB of each
// window stay in its cache of 63 MB while other data pass through.
double lost_share(const struct gpu *gpu, double reach) {
    const double kept = time_constants.kept_share * (double)gpu->last_level_cache_bytes;
    return reach > kept ? 1 - kept / reach : 0;
}

// Loads copy the other part's lines into a part of the L2, so they take more of it than stores.
double cache_taken(double loaded, double stored) {
    return loaded + time_constants.stored_share * stored;
}

// The first data that the earlier launch touched has met all of it, the last nothing of it but all of this launch.
double reuse_distance(double before, double since, double now, double covered) {
    return fmin(now, covered * (since + (before + now) / 2) + (1 - covered) * now);
}
