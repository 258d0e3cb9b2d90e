// What a part's table leaves open: rates and sizes that follow from its architecture.
#ifndef MODEL_GPU_LIMITS_H
#define MODEL_GPU_LIMITS_H

#include <stdbool.h>

#include "model/gpus.h"
#include "model/work.h"

// Bytes that the L2 reads per clock. A row without a figure takes that of a related part, scaled by compute units,
// which is a guess.
double gpu_l2_bytes_per_clock(const struct gpu *gpu);

// What launches that only load, or only store, reach of memory: published on AMD parts or shares of a related part's;
// the peak on NVIDIA, where the model of time has what keeps launches from it.
double gpu_read_gb_s(const struct gpu *gpu);
double gpu_write_gb_s(const struct gpu *gpu);

// What is fetched of memory for a load that no cache serves, and before a store that leaves a unit of writing in part.
uint32_t gpu_fetch_bytes(const struct gpu *gpu);
uint32_t gpu_fill_bytes(const struct gpu *gpu);

// Of the cache that last keeps data from memory.
double gpu_cache_gb_s(const struct gpu *gpu);

// Memory channels that open rows by themselves. A row without a figure has one for each 25 GB/s, as an H200 has, which
// is a guess.
double gpu_memory_channels(const struct gpu *gpu);

// Threads that a compute unit holds at once.
uint32_t gpu_unit_threads(const struct gpu *gpu);

// Warps of threads with so many vector registers that an AMD compute unit holds at once; infinite if the part's
// register file is not known.
double gpu_unit_warps(const struct gpu *gpu, double registers);

// Blocks that a compute unit holds at once, and its registers of 32 bits; 0: no limit is known.
uint32_t gpu_unit_blocks(const struct gpu *gpu);
uint32_t gpu_unit_registers(const struct gpu *gpu);

// Slices of the L2, each of which serves so many neighbouring bytes and moves 64 bytes per clock.
enum {
    ATOMIC_RUN_BYTES = 256
};

uint32_t gpu_l2_slices(const struct gpu *gpu);

// Bytes that one request moves per clock in a slice of the L2, however few it needs.
uint32_t gpu_slice_bytes(const struct gpu *gpu);

// Shared memory of a compute unit, and how much of it the system reserves for itself in each block.
uint32_t gpu_unit_shared_bytes(const struct gpu *gpu);
uint32_t gpu_reserved_shared_bytes(const struct gpu *gpu);

// Whether L1 and shared memory are one memory, so that they take turns.
bool gpu_shares_l1(const struct gpu *gpu);

// ---- A lower bound of a launch's time: its least work over the part's rates ----

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
