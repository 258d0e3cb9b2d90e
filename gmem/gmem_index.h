// Where the elements of a gather or a scatter lie: at random, near each other or not, or by a pattern that repeats.
#ifndef GMEM_GMEM_INDEX_H
#define GMEM_GMEM_INDEX_H

#include <stdint.h>

#define GMEM_INDEX_MAX UINT32_MAX

struct gmem_index {
    uint64_t elements;
    // Without a pattern the elements are permuted, each window of so many by itself: an element moves less than a
    // window far, and each place is taken once. 0: all in one.
    uint64_t window;
    uint64_t seed;
    // With one element i lies at pattern[i % length] + delta * (i / length).
    const uint32_t *pattern;
    uint64_t length, delta;
};

// The place of element i.
uint64_t gmem_index_place(const struct gmem_index *index, uint64_t i);

// How many indices the kernels read, and the i-th of them.
uint64_t gmem_index_count(const struct gmem_index *index);
uint32_t gmem_index_at(const struct gmem_index *index, uint64_t i);

// One more than the last place; UINT64_MAX where that overflows.
uint64_t gmem_index_places(const struct gmem_index *index);

#endif
