// Random data that any side can recompute from a seed and a position: host, kernel and check need no shared state.
#ifndef UTIL_RANDOM_H
#define UTIL_RANDOM_H

#include <stdint.h>

// The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
// The kernel dialect has the same function under the same name.
static inline uint64_t mix64(uint64_t value) {
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

// The value that a write kernel stores at a position; a narrow element takes its low bytes. It is a Weyl sequence
// (multiples of 2^32 over the golden ratio) with its halves swapped, because the upper half is mixed better, and with
// its complement above. mix64 would take longer than the timed store: with AVX-512 it halves the bandwidth at 8 bytes
// and costs four fifths of it at 1 byte.
#define PATTERN_FACTOR UINT32_C(0x9e3779b1)

static inline uint64_t pattern64(uint64_t position) {
    const uint32_t product = (uint32_t)position * PATTERN_FACTOR;
    const uint32_t hash = product >> 16 | product << 16;
    return hash | (uint64_t)~hash << 32;
}

#endif
