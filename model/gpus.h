// The table of GPUs that the model knows: one row per part, each figure with its source (gpus.c).
#ifndef MODEL_GPUS_H
#define MODEL_GPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/work.h"

enum vendor {
    VENDOR_NVIDIA,
    VENDOR_AMD
};

// Which rule of shared memory a part follows (shared_memory.h). Parts with the same rule have the same certainty.
enum shared_rule {
    SHARED_NVIDIA_KEPLER_4, // sm_3x, 4-byte bank mode
    SHARED_NVIDIA_KEPLER_8, // sm_3x, 8-byte bank mode
    SHARED_NVIDIA_MAXWELL,  // sm_50 to sm_75
    SHARED_NVIDIA_AMPERE,   // sm_80 and later: Maxwell's; whether requests merge is open
    SHARED_NVIDIA_HOPPER,   // sm_90: loads merge, stores do not
    SHARED_AMD_GFX906,      // gfx906, gfx908: assumed to be gfx90a's
    SHARED_AMD_GFX90A,      // gfx90a, gfx942
    SHARED_AMD_GFX950,
    SHARED_AMD_RDNA2, // assumed to be RDNA 3's
    SHARED_AMD_RDNA3,
    SHARED_AMD_RDNA4,
};

// Which rule the tags of the vector L1 follow (struct l1_cost).
enum l1_rule {
    L1_FOLDED, // NVIDIA's; AMD's follow from the vendor and the warp
    L1_HOPPER,
};

enum {
    MEMORY_WRITE_BYTES = 32 // smallest unit that is written to memory, on all parts
};

struct gpu_latency;

struct gpu {
    const char *name;       // as in --device sim:NAME: lower case, no space
    const char *title;      // as a chart names it: "NVIDIA H200 SXM"
    const char *arch;       // "sm_90", "gfx90a"
    const struct gpu *base; // of a part whose figures were changed (gpu_part.h): the row that it was; NULL: none
    const struct gpu_latency *latency; // of such a part; NULL: unknown. Those of rows are in time/latency.h
    const char *alias; // the drivers' name, without the vendor's words; alternatives are separated by '|'
    enum vendor vendor;
    enum shared_rule shared_rule;
    enum l1_rule l1_rule;
    uint32_t compute_units;      // SMs or CUs of what the device runtime shows as one device (a GCD of MI250X)
    uint32_t clock_mhz;          // boost clock
    uint32_t warp_width;         // lanes
    uint32_t min_plus_per_clock; // 32-bit min(a, b + c) that a compute unit finishes per clock, at most
    uint32_t banks;              // shared-memory banks of 4 bytes
    uint32_t sector_bytes;       // smallest unit that global memory moves: 32 on NVIDIA, a line on AMD
    uint32_t store_bytes;        // that a store sends at least; 0: a sector
    uint32_t load_fetch_bytes;   // bytes that a load reads from memory if no cache serves it; 0: a sector, or unknown
    uint32_t line_bytes;         // cache line of a request
    uint32_t shared_bytes_per_block; // most that one block may have, including opt-in
    uint32_t l1_bytes;               // of one compute unit (with shared memory where unified)
    uint64_t l2_bytes;
    uint32_t l2_parts;               // of the L2, each near to some compute units; 0: it is undivided, or unknown
    bool l2_private;                 // a compute unit reaches only the part near to it
    uint64_t last_level_cache_bytes; // L2, or Infinity Cache where there is one
    double l2_bytes_per_clock;       // whole part, reads; 0: neither published nor measured
    bool without_ecc;                // no check bits in L2 and memory: GeForce and Radeon
    uint64_t memory_bytes;
    double memory_gb_s;           // peak, 10^9 bytes a second
    double read_gb_s, write_gb_s; // what launches reach that only load, or only store; 0: follows from the peak
    double cache_gb_s;            // of the last-level cache behind L2; 0: there is none
    uint32_t memory_channels;     // HBM: pseudo channels, each of which opens its rows by itself; 0: unknown
    // Origin of each figure (evidence.h), in statements separated by "; ": "A100 whitepaper: SMs, L2". One that ends
    // with "[measured]", "[derived]" or "[guess]" is not published; "unconfirmed": the text could not be found again.
    const char *source;
};

// The table.
extern const struct gpu gpu_rows[];
extern const size_t gpu_row_count;

// By name, in upper or lower case; NULL if there is none.
const struct gpu *gpu_find(const char *name);

// ---- What the table leaves open: rates and sizes that follow from an architecture ----

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
