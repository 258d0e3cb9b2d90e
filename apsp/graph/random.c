// Random graphs: the first edges of a shuffled list of all vertices * (vertices - 1) ordered pairs. The shuffle is a
// permutation that can be computed at any place, so threads share the list and no edge comes twice.
#include <inttypes.h>
#include <stdlib.h>

#include "apsp/graph/graph.h"
#include "device/cpu/host.h"
#include "util/random.h"

enum {
    ROUNDS = 4 // of a Feistel network: as many make a pseudorandom permutation (Luby, Rackoff, 1988)
};

struct shuffle {
    uint64_t count; // places are 0 to count - 1
    uint64_t seed;
    uint32_t half_bits; // a place has twice as many bits, or fewer
};

static struct shuffle make_shuffle(uint64_t count, uint64_t seed) {
    struct shuffle shuffle = {count, mix64(seed), 1};
    while (shuffle.half_bits < 32 && (count - 1) >> 2 * shuffle.half_bits) {
        shuffle.half_bits++;
    }
    return shuffle;
}

// The network permutes a power of 4; walking on from places beyond count permutes those below it.
static uint64_t shuffled(const struct shuffle *shuffle, uint64_t place) {
    const uint64_t mask = (UINT64_C(1) << shuffle->half_bits) - 1;
    do {
        uint64_t left = place >> shuffle->half_bits, right = place & mask;
        for (uint64_t round = 1; round <= ROUNDS; round++) {
            const uint64_t mixed = left ^ (mix64(shuffle->seed + (round << 32) + right) & mask);
            left = right;
            right = mixed;
        }
        place = left << shuffle->half_bits | right;
    } while (place >= shuffle->count);
    return place;
}

void graph_random_edges(uint32_t vertices, int32_t max_weight, uint64_t seed, uint64_t first, uint64_t count,
                        struct edge *edges) {
    const uint64_t pairs = (uint64_t)vertices * (vertices - 1);
    const struct shuffle shuffle = make_shuffle(pairs ? pairs : 1, seed);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t pair = shuffled(&shuffle, first + i);
        const uint64_t from = pair / (vertices - 1), to = pair % (vertices - 1);
        const uint64_t weight = (mix64(shuffle.seed ^ mix64(pair)) >> 32) * ((uint64_t)max_weight + 1) >> 32;
        edges[i] = (struct edge){(int32_t)from, (int32_t)(to + (to >= from)), (int32_t)weight};
    }
}

enum status graph_random(uint32_t vertices, uint64_t edges, int32_t max_weight, uint64_t seed, struct graph *graph,
                         struct error *error) {
    const uint64_t pairs = (uint64_t)vertices * (vertices - 1);
    if (edges > pairs) {
        return error_set(error, STATUS_USAGE,
                         "--edges %" PRIu64 ": %" PRIu32 " vertices have %" PRIu64 " pairs: give at most so many",
                         edges, vertices, pairs);
    }
    const size_t bytes = (edges + 1) * sizeof(struct edge);
    enum status status = cpu_memory_check("--edges", (double)bytes, "use fewer edges", error);
    if (status != STATUS_OK) {
        return status;
    }
    struct edge *list = malloc(bytes);
    if (!list) {
        return error_set(error, STATUS_FAILED, "out of memory: use fewer edges");
    }
    graph_random_edges(vertices, max_weight, seed, 0, edges, list);
    *graph = (struct graph){vertices, edges, list, list, bytes};
    return STATUS_OK;
}
