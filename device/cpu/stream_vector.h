// Loops over one thread's chunks, built once per instruction set (device/cpu/host.h).
#ifndef DEVICE_CPU_STREAM_VECTOR_H
#define DEVICE_CPU_STREAM_VECTOR_H

#include <stdint.h>

#include "device/cpu/host.h"

// Addresses are multiples of a cache line, and `bytes` is a multiple of a chunk.
struct stream_loops {
    uint32_t (*read)(const uint8_t *from, uint64_t bytes); // returns the sum of the 32-bit words
    // 16-byte word i becomes {first + i, ~(first + i)}.
    void (*write)(uint8_t *to, uint64_t bytes, uint64_t first);
    void (*write_past_caches)(uint8_t *to, uint64_t bytes, uint64_t first); // the same, by streaming stores
    void (*copy)(uint8_t *to, const uint8_t *from, uint64_t bytes);
};

#define DECLARE_STREAM_LOOPS(vectors, isa) extern const struct stream_loops stream_loops_##isa;
CPU_VECTORS_BUILT(DECLARE_STREAM_LOOPS)

// Those for the widest vectors that this processor has.
static inline const struct stream_loops *cpu_stream_loops(void) {
#define STREAM_LOOPS_ROW(vectors, isa) [vectors] = &stream_loops_##isa,
    static const struct stream_loops *const table[] = {CPU_VECTORS_BUILT(STREAM_LOOPS_ROW)};
    return table[cpu_vectors()];
}

#endif
