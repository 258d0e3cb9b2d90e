// Floating-point elements: random words turned into numbers from 1 to 2. Their low bits are zero, so that sums of some
// thousands are exact in any order and a result can be compared bit by bit.
#ifndef GMEM_GMEM_NUMBERS_H
#define GMEM_GMEM_NUMBERS_H

#include <stdint.h>

// An element of 4 bytes is a float, one of 8 a double, one of 16 two doubles.
static inline uint64_t gmem_number_bytes(uint64_t width_bytes) {
    return width_bytes < 8 ? width_bytes : 8;
}

// Bits behind the binary point.
static inline uint32_t gmem_number_bits(uint64_t width_bytes) {
    return width_bytes == 4 ? 11 : 38;
}

// For each 64-bit word of random data, the bits that stay and the bits that are set.
static inline uint64_t gmem_number_keep(uint64_t width_bytes) {
    return width_bytes == 4 ? UINT64_C(0x007ff000007ff000) : UINT64_C(0x000fffffffffc000);
}

static inline uint64_t gmem_number_set(uint64_t width_bytes) {
    return width_bytes == 4 ? UINT64_C(0x3f8000003f800000) : UINT64_C(0x3ff0000000000000);
}

#endif
