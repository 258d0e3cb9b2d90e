// A buffer's memory while workers run blocks side by side. They share what they write, and the buffer's own memory
// stays as it is, so that their blocks can run again.
#ifndef SIM_OVERLAY_H
#define SIM_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/bitmap.h"

enum {
    SIM_OVERLAY_CHUNK = SIM_CHUNK_BITS // bytes: those of a chunk of the bitmap that notes which bytes were written
};

struct sim_overlay {
    char *place;     // the buffer's memory
    char *shared;    // where all processes have the shared bytes
    uint8_t *states; // of each chunk, in memory that all processes have
    uint8_t *stores; // how many workers store to each chunk, in the same memory
    uint8_t *local;  // what this process did to each chunk
    size_t chunks;
    uint64_t bytes;  // of whole pages
    int file;        // it holds the shared bytes
    uint64_t offset; // of the buffer in the file
    int64_t *room;   // bytes that workers may still share, in memory that all processes have
};

// Call this in a worker before its first store to a chunk. It ends a worker that cannot share the chunk, because the
// store would reach the buffer's own memory where an earlier section left pages that all processes have.
void sim_overlay_share(const struct sim_overlay *overlay, uint64_t offset);

// Whether several workers have stored to the chunk.
bool sim_overlay_is_contested(const struct sim_overlay *overlay, size_t chunk);

// Gives the buffer what workers wrote to one of its large pages. Returns true if the page itself became the buffer's,
// false if its bytes were copied.
bool sim_overlay_take(const struct sim_overlay *overlay, size_t large_page);

#endif
