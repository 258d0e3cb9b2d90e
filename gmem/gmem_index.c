#include "gmem/gmem_index.h"

#include <stddef.h>

#include "util/random.h"

// A permutation of [0, count) that the seed selects, the same as permute in indexed_device.cu. The rounds permute all
// numbers of that many bits, and a result that is not below count is permuted again.
static uint64_t permute(uint64_t i, uint64_t count, uint64_t seed) {
    enum {
        ROUNDS = 3
    };
    if (count < 2) {
        return 0;
    }
    const uint32_t bits = 64 - (uint32_t)__builtin_clzll(count - 1);
    const uint64_t mask = UINT64_MAX >> (64 - bits), key = mix64(seed);
    do {
        for (uint32_t round = 0; round < ROUNDS; round++) {
            i = (i * (key >> (11 * round) | 1) + (key >> (17 * round))) & mask;
            i ^= i >> (bits + 1) / 2;
        }
    } while (i >= count);
    return i;
}

uint64_t gmem_index_window(const struct gmem_index *index) {
    return index->window && index->window < index->elements ? index->window : index->elements;
}

static uint64_t permuted_place(const struct gmem_index *index, uint64_t i) {
    const uint64_t window = gmem_index_window(index);
    const uint64_t number = i / window, start = number * window, left = index->elements - start;
    return start + permute(i - start, left < window ? left : window, index->seed + number);
}

uint64_t gmem_index_slot(const struct gmem_index *index, uint64_t i) {
    return index->pattern ? index->pattern[i % index->length] + index->delta * (i / index->length)
                          : permuted_place(index, i);
}

uint64_t gmem_index_count(const struct gmem_index *index) {
    return index->pattern ? index->length : index->elements;
}

uint32_t gmem_index_at(const struct gmem_index *index, uint64_t i) {
    return index->pattern ? index->pattern[i] : (uint32_t)permuted_place(index, i);
}

uint64_t gmem_index_slots(const struct gmem_index *index) {
    if (!index->pattern) {
        return index->elements;
    }
    uint64_t last = 0, repeats = (index->elements - 1) / index->length, moved;
    for (size_t i = 0; i < index->length; i++) {
        last = index->pattern[i] > last ? index->pattern[i] : last;
    }
    if (__builtin_mul_overflow(index->delta, repeats, &moved) || moved > UINT64_MAX / 2) {
        return UINT64_MAX;
    }
    return moved + last + 1;
}
