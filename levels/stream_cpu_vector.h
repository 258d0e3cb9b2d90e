// Loops over one thread's chunks, built once per instruction set (device/cpu/host.h).
#ifndef LEVELS_STREAM_CPU_VECTOR_H
#define LEVELS_STREAM_CPU_VECTOR_H

#include <stdint.h>

#include "device/cpu/host.h"

// Addresses are multiples of a cache line, and `bytes` is a multiple of a chunk.
struct stream_loops {
    uint32_t (*read)(const uint8_t *from, uint64_t bytes); // returns the sum of the 32-bit words
    void (*write)(uint8_t *to, uint64_t bytes, uint64_t first);
    void (*copy)(uint8_t *to, const uint8_t *from, uint64_t bytes);
};

#define DECLARE_STREAM_LOOPS(vectors, isa) extern const struct stream_loops stream_loops_##isa;
CPU_VECTORS_BUILT(DECLARE_STREAM_LOOPS)

#endif
