// One request: one warp executing one memory instruction, as the addresses of its lanes.
#ifndef MODEL_REQUEST_H
#define MODEL_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WARP_WIDTH_MAX = 64
};

enum operation {
    OPERATION_LOAD,
    OPERATION_STORE
};

// The way that a request to shared memory takes.
enum shared_path {
    PATH_OWN,     // to the block's own
    PATH_CLUSTER, // to the block's own by an address that may lead to any block of its cluster
    PATH_REMOTE   // to another block's
};

// Whether the bits, of which there must be one, are neighbours.
static inline bool is_run(uint64_t bits) {
    const uint64_t run = bits >> __builtin_ctzll(bits);
    return (run & (run + 1)) == 0;
}

struct request {
    enum operation operation;
    bool atomic;                      // counts as a store
    enum shared_path path;            // to shared memory
    uint32_t width_bytes;             // per lane: 1, 2, 4, 8, 12 or 16
    uint64_t active;                  // bit l: lane l takes part
    uint64_t address[WARP_WIDTH_MAX]; // byte address of each active lane, a multiple of the width, for 12 of 4
};

#endif
