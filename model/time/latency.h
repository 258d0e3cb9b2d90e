// The time of an access by the level of memory that answers it, and the placement of lines in a cache.
#ifndef MODEL_TIME_LATENCY_H
#define MODEL_TIME_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/evidence.h"
#include "model/gpus.h"

// ---- The placement of lines in a cache ----

struct cache_sets {
    uint32_t ways;         // lines in a set, of which the least recently used is replaced
    bool hashed;           // a hash of the address chooses the set; else neighbouring lines take the sets in turn
    uint32_t groups;       // of sets that share room for their lines; 0: each set has room of its own
    uint32_t group_bytes;  // neighbouring bytes of one group; the next ones belong to the next group
    uint32_t short_groups; // bit i: group i has room for fewer lines than its sets name
    uint32_t short_lines;  // how many fewer; of all its lines the least recently used makes room
};

// The group to which an address belongs; groups must not be 0.
static inline uint64_t cache_sets_group(const struct cache_sets *sets, uint64_t address) {
    return address / sets->group_bytes % sets->groups;
}

// The lines for which a group of a cache of so many lines has room.
static inline uint64_t cache_sets_room(const struct cache_sets *sets, uint64_t lines, uint64_t group) {
    return lines / sets->groups - (sets->short_groups >> group & 1 ? sets->short_lines : 0);
}

// The bytes from address 0 on that a cache holds before a group runs out of room.
uint64_t cache_sets_hold(const struct cache_sets *sets, uint64_t bytes, uint32_t line_bytes);

// ---- The table ----

// One row per part or family, with its sources. Sizes and lines are in model/gpus.h.

enum {
    GPCS_MAX = 8
};

// The ports by which units reach the L2: each GPC has as many, which its TPCs, of two units each, take in turn.
struct unit_ports {
    uint8_t gpc_tpcs[GPCS_MAX]; // TPCs of each GPC; half of the GPCs, alternately, are near to each half of the L2
    uint32_t gpc_ports;         // 0: unknown
    uint32_t under_way;         // bytes that units of one port have asked for and not got yet, at most
};

// In clocks, for an access that waits for the one before; 0: unknown, or no such level.
struct gpu_latency {
    const char *gpus; // names in the table of GPUs, separated by '|'
    struct cache_sets l1_sets, l2_sets;
    uint32_t crowding_copies; // of an L2 part's copies of another's lines, one in so many that belong to odd sets lies
                              // in the even set before; 0: none
    uint32_t l1, l2, l3, memory; // of a load; L2 and memory near to the unit
    uint32_t far;                // additional, if the line belongs to the far part of the L2
    uint32_t atomic;             // in addition to a load from the L2, which executes it
    uint32_t store;              // until every unit can see it
    uint32_t shared;             // of a load from shared memory
    bool shared_derived;         // from another part's
    bool memory_derived;         // what was measured, without a TLB miss
    uint64_t tlb_bytes;          // bytes whose addresses the TLB holds; 0: enough
    uint32_t tlb_page, tlb_miss; // bytes of a page; clocks that a miss adds
    // What launches reach that do nothing else; 0: unknown.
    double l1_bytes_per_clock; // of a unit, loads and stores
    double l2_read_bytes_per_clock, l2_write_bytes_per_clock;
    double memory_share;  // of the rate in the table of GPUs; 0: all of it
    double l3_read_gb_s;  // of a cache behind the L2; 0: unknown
    double l2_fill_reads; // the reads whose time in the L2 a line takes that comes from memory; 0: unknown
    double merged_bytes;  // of a footprint that blocks share: loads for which the L2 is asked once for several units
    struct unit_ports ports;
    enum evidence known, rates_known; // how latencies and rates are known, on the first of the parts; on others derived
    const char *source;
};

// NULL if the part is unknown.
const struct gpu_latency *gpu_latency(const struct gpu *gpu);

// What is known of a changed part (gpu_part.h) by its row, whose latencies must be known.
struct gpu_latency gpu_latency_changed(const struct gpu *gpu);

// The clocks that a warp waits, of units near to the data and far from it in the mean. A part without figures has the
// H200's, which is a guess.
struct gpu_waits {
    double l1, l2, memory; // for a load from there
    double atomic, fence;  // for what an atomic returns; until a store is visible
    double shared;         // for a load of 4 bytes from shared memory, in one pass
};

struct gpu_waits gpu_waits(const struct gpu *gpu);

// Of the L2's rate, what launches that only load reach. A part without figures has the H200's share.
double gpu_l2_load_share(const struct gpu *gpu);

#endif
