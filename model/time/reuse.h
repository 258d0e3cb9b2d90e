// What the last-level cache still holds of data to which blocks come back.
#ifndef MODEL_TIME_REUSE_H
#define MODEL_TIME_REUSE_H

#include "model/gpus.h"

// The share of accesses, scattered at random over `reach` bytes, whose data the cache has lost since the last access to
// the same sector.
double lost_share(const struct gpu *gpu, double reach);

// What a launch takes of the cache, in bytes of buffers that it only loads and of those that it stores to.
double cache_taken(const struct gpu *gpu, double loaded, double stored);

// How much passes through the cache between an earlier launch's access to some data and this launch's. The launches
// take `before` and `now` of the cache, others have taken `since` between them, and the earlier one touched the share
// `covered` of the data. The rest counts as if this launch had run just before.
double reuse_distance(double before, double since, double now, double covered);

#endif
