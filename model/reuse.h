// What the last-level cache still holds of data to which blocks come back.
#ifndef MODEL_REUSE_H
#define MODEL_REUSE_H

#include "model/gpus.h"

// The share of accesses, scattered at random over `reach` bytes, whose data the cache has lost since the last access to
// the same sector.
double lost_share(const struct gpu *gpu, double reach);

#endif
