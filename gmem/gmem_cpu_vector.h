// Loops over contiguous elements, built once per instruction set (device/cpu/host.h).
#ifndef GMEM_GMEM_CPU_VECTOR_H
#define GMEM_GMEM_CPU_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "device/cpu/host.h"

enum {
    GMEM_LINE_BYTES = 64
};

// The methods with vectors, X(name, text, pages at once, bytes prefetched ahead, streaming stores). Which one is
// fastest depends on how many lines a core can have in flight and on which streams its prefetchers recognize.
#define GMEM_VECTOR_COPIES(X)                                                                                          \
    X(stream, "streaming stores", 1, 0, true)                                                                          \
    X(stream_ahead, "streaming stores, loads fetched 8 KiB ahead", 1, 8192, true)                                      \
    X(stream_2, "streaming stores, 2 pages side by side", 2, 0, true)                                                  \
    X(stream_4, "streaming stores, 4 pages side by side", 4, 0, true)                                                  \
    X(stream_8, "streaming stores, 8 pages side by side", 8, 0, true)                                                  \
    X(plain, "plain stores", 1, 0, false)
// X(name, text, pages at once, bytes prefetched ahead)
#define GMEM_VECTOR_READS(X)                                                                                           \
    X(in_order, "loads in order", 1, 0)                                                                                \
    X(ahead, "loads fetched 8 KiB ahead", 1, 8192)                                                                     \
    X(pages_2, "2 pages side by side", 2, 0)                                                                           \
    X(pages_8, "8 pages side by side", 8, 0)

#define GMEM_ONE(...) +1
enum {
    GMEM_VECTOR_COPY_COUNT = 0 GMEM_VECTOR_COPIES(GMEM_ONE),
    GMEM_VECTOR_READ_COUNT = 0 GMEM_VECTOR_READS(GMEM_ONE)
};

typedef void gmem_copy_bytes(uint8_t *to, const uint8_t *from, uint64_t bytes);

struct gmem_vectors {
    gmem_copy_bytes *copies[GMEM_VECTOR_COPY_COUNT];
    // The xor of the 32-bit words; zeros complete the last word.
    uint32_t (*reads[GMEM_VECTOR_READ_COUNT])(const uint8_t *from, uint64_t bytes);
    // Element i becomes pattern64(position + i), cut to width. The range begins and ends at the start of a line.
    void (*write)(uint8_t *to, uint64_t elements, uint64_t position, bool stream, uint32_t width);
    // a = b + 3 * c of floats or doubles. a begins at the start of a line and spans whole lines.
    void (*triad)(uint8_t *a, const uint8_t *b, const uint8_t *c, uint64_t bytes, bool stream, bool doubles);
    // The sum of floats or doubles in fixed point, modulo 2^64 (gmem/gmem_layout.h).
    uint64_t (*sum)(const uint8_t *from, uint64_t bytes, bool doubles);
};

#define DECLARE_GMEM_VECTORS(vectors, isa) extern const struct gmem_vectors gmem_vectors_##isa;
CPU_VECTORS_BUILT(DECLARE_GMEM_VECTORS)

// Calls function(..., width) with the width as a constant, so that one text yields a separate loop for each width.
#define WITH_WIDTH(width, function, ...)                                                                               \
    switch (width) {                                                                                                   \
    case 1:                                                                                                            \
        function(__VA_ARGS__, 1);                                                                                      \
        break;                                                                                                         \
    case 2:                                                                                                            \
        function(__VA_ARGS__, 2);                                                                                      \
        break;                                                                                                         \
    case 4:                                                                                                            \
        function(__VA_ARGS__, 4);                                                                                      \
        break;                                                                                                         \
    case 8:                                                                                                            \
        function(__VA_ARGS__, 8);                                                                                      \
        break;                                                                                                         \
    default:                                                                                                           \
        function(__VA_ARGS__, 16);                                                                                     \
    }

// Bytes from the address to the next line, but at most all that are left.
static inline uint64_t gmem_bytes_to_line(const uint8_t *address, uint64_t bytes) {
    const uint64_t rest = -(uintptr_t)address % GMEM_LINE_BYTES;
    return rest < bytes ? rest : bytes;
}

#endif
