// Reads by so many bytes in flight: the blocks of a launch share a footprint and each asks for the next chunk of it in
// every round. docs/simulator.md, Bytes in flight, derives the time.
#ifndef MODEL_TIME_FLIGHT_H
#define MODEL_TIME_FLIGHT_H

#include <stdint.h>

#include "model/gpus.h"

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

// lost: the share of the footprint that the L2 does not hold. Without the launch's start and end. The part's latencies
// and rates must be known.
double flight_ns(const struct gpu *gpu, const struct flight *flight, double lost);

#endif
