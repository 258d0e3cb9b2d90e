// What one request costs that reaches shared memory through the cluster (NVIDIA, from sm_90 on), most of all that of
// another block.
//
// Source: counters and clocks of an H100 and an H200, smem-clusters-counters.csv and smem-clusters.csv of results/h100
// and results/h200 (docs/validation.md). NVIDIA documents none of it.
#ifndef MODEL_CLUSTER_MEMORY_H
#define MODEL_CLUSTER_MEMORY_H

#include "model/gpus.h"
#include "model/request.h"
#include "model/shared_memory.h"

// Units whose blocks are in clusters of this size at once, if each has a block: a cluster lies in one of the parts that
// the units are grouped in, of which some units are left over.
uint32_t cluster_units(const struct gpu *gpu, uint32_t blocks);

// Passes and conflicts, as the profiler counts them. Addresses are offsets in a block's shared memory, because the tags
// count lines from there; bits from the 19th on do not matter.
struct shared_cost cluster_memory_cost(const struct gpu *gpu, const struct request *request);

// Clocks for which the request keeps a unit's shared memory busy, or its way to the others: the mean of the blocks, if
// all of them send such requests in clusters of so many blocks.
double cluster_memory_clocks(const struct gpu *gpu, const struct request *request, uint32_t blocks);

// How many times as long as the mean the slowest of a launch's blocks takes for such requests.
double cluster_memory_slowest(const struct request *request, uint32_t blocks);

// Clocks that a load by way of the cluster takes longer than one straight from the block's own memory, in addition to
// those: the mean of a launch's blocks, and of the slowest block, which the launch waits for.
struct cluster_latency {
    double mean, slowest;
};
struct cluster_latency cluster_memory_latency(enum shared_path path);

#endif
