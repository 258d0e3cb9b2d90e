// What if data lay elsewhere? A launch whose requests are counted where another layout would have them. What the kernel
// computes stays the same.
#ifndef SIM_REMAP_H
#define SIM_REMAP_H

#include "device/device.h"
#include "model/layout.h"

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

// Applies to the next launches; NULL: to none. The remap must outlive them.
void sim_set_remap(struct device *device, const struct sim_remap *remap);

// ---- For the simulator ----

// The shared memory that a block takes more.
uint32_t sim_remap_more_shared(const struct sim_remap *remap);

// The place of a byte: an offset in the block's shared memory, or a device address.
uint64_t sim_remap_shared(const struct sim_remap *remap, uint64_t offset);
uint64_t sim_remap_global(const struct sim_remap *remap, uint64_t address);

#endif
