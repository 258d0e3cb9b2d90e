// The overlays of all buffers of a device.
#ifndef SIM_PARALLEL_OVERLAYS_H
#define SIM_PARALLEL_OVERLAYS_H

#include "sim/memory.h"

struct sim_overlays {
    struct sim_overlay *overlay; // of each buffer
    // Each overlay has a part of these: the chunks, and the bytes that workers share.
    size_t chunks;
    uint8_t *states, *stores, *local;
    char *shared;
    uint64_t shared_bytes;
    // All overlays have these in common.
    int64_t *room;
    int file;
};

// The address space that overlays of these buffers take.
uint64_t sim_overlays_bytes(const struct sim_memory *memory);

// Lets the workers that start from now on share what they store.
enum status sim_overlays_create(struct sim_overlays *overlays, struct sim_memory *memory);

// Makes what the workers stored the buffers' content. They must have ended.
void sim_overlays_take(const struct sim_overlays *overlays, struct sim_memory *memory);

void sim_overlays_destroy(struct sim_overlays *overlays, struct sim_memory *memory);

#endif
