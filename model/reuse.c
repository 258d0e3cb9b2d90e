#include "model/reuse.h"

#include "model/time_constants.h"

// An H200 reads 3143 MB for the 2^26 loads of 8 bytes of gmem's gather with windows of 64 MiB (ncu): 22 MB of each
// window stay in its cache of 63 MB while other data pass through.
double lost_share(const struct gpu *gpu, double reach) {
    const double kept = time_constants.kept_share * (double)gpu->last_level_cache_bytes;
    return reach > kept ? 1 - kept / reach : 0;
}
