// One element of the CPU's kernels. Every call passes a constant width.
#ifndef GMEM_GMEM_CPU_ELEMENT_H
#define GMEM_GMEM_CPU_ELEMENT_H

#include <stdint.h>
#include <string.h>

#include "util/loops.h"
#include "util/random.h"

// An element as a number. The two halves of a 16-byte element are combined by xor.
ALWAYS_INLINE uint64_t load_element(const uint8_t *from, uint32_t width) {
    uint16_t narrow;
    uint32_t word;
    uint64_t halves[2] = {0};
    switch (width) { // each width has a separate load, because a copy into a wider variable would go through memory
    case 1:
        return *from;
    case 2:
        memcpy(&narrow, from, width);
        return narrow;
    case 4:
        memcpy(&word, from, width);
        return word;
    default:
        memcpy(halves, from, width);
        return halves[0] ^ halves[1];
    }
}

ALWAYS_INLINE void write_element(uint8_t *to, uint64_t position, uint32_t width) {
    const uint64_t low = pattern64(position);
    const uint64_t element[2] = {low, ~low};
    memcpy(to, element, width);
}

#endif
