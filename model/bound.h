// The time that no part can beat: what a launch needs at least, over what the part has.
#ifndef MODEL_BOUND_H
#define MODEL_BOUND_H

#include "model/gpus.h"
#include "model/work.h"

// The least that a launch asks for, whatever its compiler merges and its caches keep.
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
    enum resource by; // the one that says so
};

struct launch_bound launch_bound(const struct gpu *gpu, const struct launch_least *least);

// What must move between memory and the caches, where these may hold as much as fits from a launch before.
double least_memory_bytes(const struct gpu *gpu, const struct memory_traffic *traffic);

#endif
