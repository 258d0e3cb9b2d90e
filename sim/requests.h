// The requests of a launch: recorded, and counted where another layout would have them.
#ifndef SIM_REQUESTS_H
#define SIM_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/copy_memory.h"
#include "model/layout.h"
#include "model/request.h"
#include "util/error.h"

// ---- The distinct requests to shared memory ----

enum {
    RECORDS_MAX = 16384
};

// A request of the instruction at pc, as often as it was made.
struct sim_recording_entry {
    uintptr_t pc;
    uint64_t count;
    struct request request;
    bool copies, past_l1;          // a copy from global memory (struct copy); from there:
    uint64_t from[WARP_WIDTH_MAX]; // addresses, seen from the line of the first lane's
};

struct sim_recording {
    bool overflowed;
    struct sim_recording_entry *list; // owned
    size_t count;
    uint32_t *table;      // place in the list + 1, by a hash of the request; owned
    uint64_t fixed_bytes; // of shared memory before the dynamic
    uint64_t dynamic_bytes;
};

// Forgets what was recorded before.
void sim_recording_begin(struct sim_recording *recording);
// copy: what the request copies; NULL: it is none. Beyond RECORDS_MAX that differ, sets `overflowed`.
void sim_recording_add(struct sim_recording *recording, uintptr_t pc, const struct request *request,
                       const struct copy *copy);
void sim_recording_destroy(struct sim_recording *recording); // and frees it

// ---- What if data lay elsewhere? ----

// A launch whose requests are counted where another layout would have them. What the kernel
// computes stays the same.

struct sim_remap {
    enum {
        REMAP_NONE,
        REMAP_TILE,    // an array in shared memory gets a layout
        REMAP_STRUCTS, // an array of structures in global memory becomes a structure of arrays
    } kind;
    uint64_t begin, bytes; // of the array: in the block's shared memory, or among device addresses
    struct layout layout;  // of the tile
    uint32_t struct_bytes, member_bytes;
};

// The shared memory that a block takes more.
uint32_t sim_remap_more_shared(const struct sim_remap *remap);

// The place of a byte: an offset in the block's shared memory, or a device address.
uint64_t sim_remap_shared(const struct sim_remap *remap, uint64_t offset);
uint64_t sim_remap_global(const struct sim_remap *remap, uint64_t address);

#endif
