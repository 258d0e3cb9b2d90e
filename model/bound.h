// A lower bound of a launch's time: the launch's least work over the part's rates.
#ifndef MODEL_BOUND_H
#define MODEL_BOUND_H

#include "model/gpus.h"
#include "model/work.h"

// The least that a launch needs, whatever the compiler merges and the caches keep.
struct launch_least {
    double blocks;
    double memory_bytes; // to and from memory
    double l2_bytes;     // between L2 and the compute units
    double passes;       // of shared memory
    double requests;     // of global and shared memory
};

enum resource {
    RESOURCE_MEMORY,
    RESOURCE_L2,
    RESOURCE_SHARED_MEMORY,
    RESOURCE_REQUESTS,
    RESOURCES
};

// "memory", "L2", "shared memory", "requests".
const char *resource_name(enum resource resource);

struct launch_bound {
    double ns;
    enum resource by; // the resource that needs this long
};

struct launch_bound launch_bound(const struct gpu *gpu, const struct launch_least *least);

// The bytes that must move between memory and the caches, which may still hold data of an earlier launch.
double least_memory_bytes(const struct gpu *gpu, const struct memory_traffic *traffic);

#endif
