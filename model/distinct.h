// A set of the few keys that one request touches, in buckets: what shares a bucket is counted together. The caller's
// bucket is the bank, or the low bits of the key where only the count matters.
#ifndef MODEL_DISTINCT_H
#define MODEL_DISTINCT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/request.h"

enum {
    DISTINCT_BUCKETS = 64
};

// Begin with counts of zero; keys need no value.
struct distinct {
    uint8_t count[DISTINCT_BUCKETS];
    uint64_t key[WARP_WIDTH_MAX][DISTINCT_BUCKETS]; // a lane adds at most one key to a bucket
};

// Adds the key unless it is there; *added says which. Returns its place, below WARP_WIDTH_MAX * DISTINCT_BUCKETS.
static inline uint32_t distinct_add(struct distinct *set, uint32_t bucket, uint64_t key, bool *added) {
    uint32_t i = 0;
    while (i < set->count[bucket] && set->key[i][bucket] != key)
        i++;
    *added = i == set->count[bucket];
    if (*added) {
        set->key[i][bucket] = key;
        set->count[bucket]++;
    }
    return i * DISTINCT_BUCKETS + bucket;
}

// The same where any bucket will do.
static inline uint32_t distinct_add_key(struct distinct *set, uint64_t key, bool *added) {
    return distinct_add(set, (uint32_t)(key % DISTINCT_BUCKETS), key, added);
}

#endif
