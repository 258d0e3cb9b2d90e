// A set of the few keys that one request touches, counted by bucket. The caller's bucket is the bank, or the low bits
// of the key where only the total matters.
#ifndef MODEL_DISTINCT_H
#define MODEL_DISTINCT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "model/request.h"

enum {
    DISTINCT_BUCKETS = 64,
    DISTINCT_KEYS = WARP_WIDTH_MAX * 4 // most that a request has: 16 bytes for each lane in words of 4
};

struct distinct {
    uint8_t count[DISTINCT_BUCKETS];
    uint8_t last[DISTINCT_BUCKETS]; // number of the bucket's latest key
    uint32_t keys;
    uint64_t key[DISTINCT_KEYS];
    uint8_t before[DISTINCT_KEYS]; // number of the key that came before it in its bucket
    uint8_t rank[DISTINCT_KEYS];   // of the key in its bucket: 0 is the first
};

static inline void distinct_begin(struct distinct *set) {
    memset(set->count, 0, sizeof set->count);
    set->keys = 0;
}

// Adds the key unless the set has it; *added says whether it was new. Returns the key's number, below DISTINCT_KEYS.
static inline uint32_t distinct_add(struct distinct *set, uint32_t bucket, uint64_t key, bool *added) {
    uint32_t number = set->last[bucket], left = set->count[bucket];
    for (; left && set->key[number] != key; left--) {
        number = set->before[number];
    }
    *added = left == 0;
    if (left) {
        return number;
    }
    number = set->keys++;
    set->key[number] = key;
    set->before[number] = set->last[bucket];
    set->rank[number] = set->count[bucket]++;
    set->last[bucket] = (uint8_t)number;
    return number;
}

// The same where the bucket does not matter.
static inline uint32_t distinct_add_key(struct distinct *set, uint64_t key, bool *added) {
    return distinct_add(set, (uint32_t)(key % DISTINCT_BUCKETS), key, added);
}

#endif
