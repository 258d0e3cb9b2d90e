// Addresses from a formula, for the first warp of a block that accesses a strided vector or a tile.
#ifndef TOOLS_LANES_PATTERN_H
#define TOOLS_LANES_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/request.h"

// Thread (x, y) of the block touches element (y * pitch + x) * stride + offset of a row-major tile, or
// (x * pitch + y) * stride + offset where the tile is walked by column. In a swizzled tile each column number is xor-ed
// with its row number, which must stay below the pitch.
struct pattern {
    uint64_t stride, offset; // elements
    uint32_t block_x, block_y;
    uint64_t pitch; // elements from one row to the next
    bool by_column;
    bool swizzled; // the pitch is then a power of two
};

// Sets active and address; the caller sets operation and width_bytes. Lanes beyond the block are inactive.
void pattern_request(const struct pattern *pattern, uint32_t warp_width, struct request *request);

#endif
