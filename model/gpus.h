// The table of GPUs that the model knows: one row per part, each figure with its source (gpus.c).
#ifndef MODEL_GPUS_H
#define MODEL_GPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

// The table; *count rows.
const struct gpu *gpu_table(size_t *count);

// By name, in upper or lower case; NULL if there is none.
const struct gpu *gpu_find(const char *name);

#endif
