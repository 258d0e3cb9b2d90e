#include "tools/lanes/layout/classes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// What the requests of a class have in common.
struct key {
    uint64_t active;
    uint32_t row, column;           // of the first lane's place, as far as it matters
    uint64_t place[WARP_WIDTH_MAX]; // of each lane, seen from the first
    size_t request;                 // not compared
};

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    return b ? common_divisor(b, a % b) : a;
}

// Whatever the length of rows, first lanes whose rows and columns differ by multiples of `unit` elements have addresses
// that differ by a multiple of the period.
static void key_of_paddings(struct key *key, const struct tile_request *request, const struct tile *tile,
                            uint32_t period) {
    const uint32_t unit = period / common_divisor(period, tile->element_bytes);
    const uint32_t first = request->index[__builtin_ctzll(request->active)];
    const uint32_t row = first / tile->columns, column = first % tile->columns;
    key->row = row % unit;
    key->column = column % unit;
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), index = request->index[lane];
        key->place[lane] = (uint64_t)(index / tile->columns - row) << 32 | (index % tile->columns - column);
    }
}

static void key_of_swizzles(struct key *key, const struct tile_request *request, bool linear) {
    const uint32_t first = linear ? request->index[__builtin_ctzll(request->active)] : 0;
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        key->place[lane] = request->index[lane] ^ first;
    }
}

static int by_key(const void *left, const void *right) {
    return memcmp(left, right, offsetof(struct key, request));
}

// Adds a request for each run of equal keys. Frees the keys.
static enum status merge(const struct tile_requests *requests, struct key *keys, struct tile_requests *classes,
                         struct error *error) {
    enum status status = STATUS_OK;
    qsort(keys, requests->count, sizeof *keys, by_key);
    for (size_t i = 0; i < requests->count && status == STATUS_OK; i++) {
        const struct tile_request *request = &requests->list[keys[i].request];
        if (i && by_key(&keys[i - 1], &keys[i]) == 0) {
            classes->list[classes->count - 1].count += request->count;
        } else {
            status = tile_requests_add(classes, request, error);
        }
    }
    free(keys);
    return status;
}

// Keys without places; NULL without memory.
static struct key *begin_keys(const struct tile_requests *requests, struct error *error) {
    struct key *keys = calloc(requests->count + 1, sizeof *keys);
    for (size_t i = 0; keys && i < requests->count; i++) {
        keys[i].active = requests->list[i].active;
        keys[i].request = i;
    }
    if (!keys) {
        error_set(error, STATUS_FAILED, "out of memory: give fewer requests");
    }
    return keys;
}

enum status classes_of_paddings(const struct tile_requests *requests, const struct tile *tile, uint32_t period,
                                struct tile_requests *classes, struct error *error) {
    struct key *keys = begin_keys(requests, error);
    for (size_t i = 0; keys && i < requests->count; i++) {
        key_of_paddings(&keys[i], &requests->list[i], tile, period);
    }
    return keys ? merge(requests, keys, classes, error) : STATUS_FAILED;
}

enum status classes_of_swizzles(const struct tile_requests *requests, bool linear, struct tile_requests *classes,
                                struct error *error) {
    struct key *keys = begin_keys(requests, error);
    for (size_t i = 0; keys && i < requests->count; i++) {
        key_of_swizzles(&keys[i], &requests->list[i], linear);
    }
    return keys ? merge(requests, keys, classes, error) : STATUS_FAILED;
}
