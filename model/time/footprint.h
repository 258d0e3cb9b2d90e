// The time of a launch that goes again and again through one footprint, as launches before it did: what the caches can
// keep of it is there.
#ifndef MODEL_TIME_FOOTPRINT_H
#define MODEL_TIME_FOOTPRINT_H

#include <stdint.h>

#include "model/gpus.h"
#include "model/time/walk.h"
#include "model/work.h"

// ---- Bytes in flight ----

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

// The time of a launch that goes again and again through one footprint, as launches before it did: what the caches can
// keep of it is there.

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
