// The time that a launch is expected to take: docs/simulator.md derives it and says what each parameter was fitted on.
#ifndef MODEL_TIME_TIME_H
#define MODEL_TIME_TIME_H

#include <math.h>
#include <stdint.h>

#include "model/gpus.h"
#include "model/time/walk.h"
#include "model/work.h"

// The time that two parts take together: their sum at norm 1, the longer one at an infinite norm.
static inline double overlap(double a, double b, double norm) {
    const double most = fmax(a, b);
    return most > 0 ? most * pow(pow(a / most, norm) + pow(b / most, norm), 1 / norm) : 0;
}

// Where time goes.
enum time_part {
    TIME_LAUNCH,
    TIME_MEMORY,
    TIME_L2,
    TIME_ATOMICS,
    TIME_L1,
    TIME_SHARED_MEMORY,
    TIME_ISSUE,
    TIME_WAITING, // for loads, and for the block's other warps
    TIME_PARTS
};

// "launch", "memory", "L2", "atomics", "L1", "shared memory", "issue", "waiting".
const char *time_part_name(enum time_part part);

// The share of a launch's traffic that goes to memory; a cache serves the rest.
double memory_share(const struct gpu *gpu, const struct memory_traffic *memory);

// The clocks for which a load from global memory keeps L1 busy. clocks: if it found all there (struct l1_cost);
// missed_bytes: of sectors from L2.
uint32_t l1_load_cycles(uint32_t clocks, uint32_t missed_bytes);

// The clocks that a warp of a chain takes for so many instructions of the host's compiler. accesses: for its accesses.
double chain_cycles(double instructions, double accesses);

// What a launch of so many blocks takes apart from its work, if it is queued before the GPU comes to it.
double launch_overhead_ns(const struct gpu *gpu, double blocks);

struct launch_time {
    double ns;
    double part_ns[TIME_PARTS]; // each part's time if it were alone
    enum time_part most;        // the longest of them
};

struct launch_time launch_time(const struct gpu *gpu, const struct launch_work *work);

// What a line of a kernel, or all of them, do.
struct line_work {
    double instructions, barriers;
    double global_loads, shared_loads; // requests
    double sectors, memory_sectors;    // moved by L2, and by memory
    double l1_cycles, passes, atomics;
};

// The share of the launch's time that a line takes, from 0 to 1: each part of the time is divided by what the lines do
// there, and parts that overlap count by how much the time follows them.
double time_share(const struct gpu *gpu, const double part_ns[TIME_PARTS], const struct line_work *line,
                  const struct line_work *launch);

// The time that the launch no longer takes if it does so much less.
double time_gain_ns(const struct gpu *gpu, const double part_ns[TIME_PARTS], const struct line_work *less,
                    const struct line_work *launch);

// ---- Launches that go again and again through one footprint: what the caches can keep of it is there ----

// Reads by so many bytes in flight: the blocks of a launch share a footprint and each asks for the next chunk of it in
// every round. docs/simulator.md, Bytes in flight, derives the time.

enum flight_path {
    FLIGHT_LOADS, // to registers: a round waits for its own words
    FLIGHT_WORDS, // copies to shared memory, which each lane asks for
    FLIGHT_BULK   // copies of a whole chunk, which one lane asks for
};

struct flight {
    enum flight_path path;
    uint32_t blocks, block_threads, rounds;
    uint32_t word_bytes, words; // of a lane in a round
    uint32_t stages;            // rounds that a block has in flight
    uint64_t footprint_bytes;   // which is larger than what a simulated launch touches
};

enum cycled {
    CYCLED_NOT,
    CYCLED_SHARED,   // all blocks go through the same footprint and drift apart
    CYCLED_FOLLOWED, // likewise, but blocks are short: they follow each other along the same paths
    CYCLED_OWN,      // each block has a separate one
    CYCLED_FLIGHT    // as CYCLED_SHARED, with one block or few in each unit, and so many bytes in flight
};

// How a launch goes through its footprint.
struct cycle {
    enum cycled cycled;
    uint64_t chunk_bytes; // that a block asks for before it waits, where blocks share the footprint
    // Where a simulated launch is shorter than a GPU's: the latter's blocks, and how long it takes (CYCLED_SHARED).
    uint64_t blocks;
    double ns;
    struct flight flight; // CYCLED_FLIGHT
};

// Without the launch's start and end. NaN if the part's rates are not known, or if the launch is CYCLED_NOT. last: of
// walk_clocks.
double footprint_ns(const struct gpu *gpu, const struct launch_work *work, struct cycle cycle, struct walked *last);

// ---- Reuse ----

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
