// The addresses of a gather's or a scatter's elements: random within windows, or a repeated pattern.
#ifndef GMEM_GMEM_INDEX_H
#define GMEM_GMEM_INDEX_H

#include <stdint.h>

#define GMEM_INDEX_MAX UINT32_MAX

struct gmem_index {
    uint64_t elements;
    // Without a pattern each window of this many elements is permuted separately, so an element moves by less than a
    // window, and each index occurs once. 0: one window.
    uint64_t window;
    uint64_t seed;
    // With a pattern element i is at pattern[i % length] + delta * (i / length).
    uint32_t *pattern;
    uint64_t length, delta;
};

// Elements of a window, which is not 0.
uint64_t gmem_index_window(const struct gmem_index *index);

// The index of element i.
uint64_t gmem_index_slot(const struct gmem_index *index, uint64_t i);

// The number of indices that the kernels read, and the i-th of them.
uint64_t gmem_index_count(const struct gmem_index *index);
uint32_t gmem_index_at(const struct gmem_index *index, uint64_t i);

// One more than the largest index; UINT64_MAX on overflow.
uint64_t gmem_index_slots(const struct gmem_index *index);

#endif
