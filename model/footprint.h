// The time of a launch that goes again and again through one footprint, as launches before it did: what the caches can
// keep of it is there.
#ifndef MODEL_FOOTPRINT_H
#define MODEL_FOOTPRINT_H

#include "model/gpus.h"
#include "model/work.h"

// Without the launch's start and end. shared: all blocks go through the same footprint, else each through its own. NaN
// if the part's rates are not known.
double footprint_ns(const struct gpu *gpu, const struct launch_work *work, bool shared);

#endif
