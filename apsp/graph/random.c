// A random graph has the first edges of a shuffled list of all vertices * (vertices - 1) ordered pairs. The shuffle is
// a permutation whose value at any index can be computed alone, so threads share the list and no edge comes twice.
#include "apsp/graph/random.h"

#include <inttypes.h>
#include <stdlib.h>

#include "device/cpu/host.h"
#include "util/random.h"

enum {
    ROUNDS = 4 // a Feistel network of four rounds is a pseudorandom permutation (Luby, Rackoff, 1988)
};

struct shuffle {
    uint64_t count; // indices are 0 to count - 1
    uint64_t seed;
    uint32_t half_bits; // an index has at most twice as many bits
};

static uint64_t pairs_of(uint64_t vertices) {
    return vertices * (vertices - 1);
}

static struct shuffle make_shuffle(uint64_t count, uint64_t seed) {
    struct shuffle shuffle = {count, mix64(seed), 1};
    while (shuffle.half_bits < 32 && (count - 1) >> 2 * shuffle.half_bits) {
        shuffle.half_bits++;
    }
    return shuffle;
}

// The network permutes a power of 4 of indices. Where it gives an index beyond count, it is applied again until the
// index is below count, which permutes the indices below count.
static uint64_t shuffled(const struct shuffle *shuffle, uint64_t index) {
    const uint64_t mask = (UINT64_C(1) << shuffle->half_bits) - 1;
    do {
        uint64_t left = index >> shuffle->half_bits, right = index & mask;
        for (uint64_t round = 1; round <= ROUNDS; round++) {
            const uint64_t mixed = left ^ (mix64(shuffle->seed + (round << 32) + right) & mask);
            left = right;
            right = mixed;
        }
        index = left << shuffle->half_bits | right;
    } while (index >= shuffle->count);
    return index;
}

struct graph_random_settings graph_random_defaults(struct graph_random_settings settings) {
    enum {
        EDGES_PER_VERTEX = 8,
        MAX_WEIGHT = 100
    };
    const uint64_t pairs = pairs_of(settings.vertices), edges = settings.vertices * EDGES_PER_VERTEX;
    if (!settings.edges) {
        settings.edges = edges < pairs ? edges : pairs;
    }
    if (!settings.max_weight) {
        settings.max_weight = MAX_WEIGHT;
    }
    return settings;
}

enum status graph_random_check(const struct graph_random_settings *settings, struct error *error) {
    const uint64_t pairs = pairs_of(settings->vertices);
    if (settings->edges > pairs) {
        return error_set(error, STATUS_USAGE,
                         "--edges %" PRIu64 ": %" PRIu64 " vertices have %" PRIu64 " pairs: give at most so many",
                         settings->edges, settings->vertices, pairs);
    }
    return STATUS_OK;
}

void graph_random_edges(const struct graph_random_settings *settings, uint64_t first, uint64_t count,
                        struct edge *edges) {
    const uint64_t pairs = pairs_of(settings->vertices), others = settings->vertices - 1;
    const struct shuffle shuffle = make_shuffle(pairs ? pairs : 1, settings->seed);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t pair = shuffled(&shuffle, first + i);
        const uint64_t from = pair / others, to = pair % others;
        const uint64_t weight = (mix64(shuffle.seed ^ mix64(pair)) >> 32) * (settings->max_weight + 1) >> 32;
        edges[i] = (struct edge){(int32_t)from, (int32_t)(to + (to >= from)), (int32_t)weight};
    }
}

enum status graph_random(const struct graph_random_settings *settings, struct graph *graph, struct error *error) {
    const size_t bytes = (settings->edges + 1) * sizeof(struct edge);
    TRY(graph_random_check(settings, error));
    TRY(cpu_memory_check("--edges", (double)bytes, "use fewer edges", error));
    struct edge *edges = malloc(bytes);
    if (!edges) {
        return error_set(error, STATUS_FAILED, "out of memory: use fewer edges");
    }
    graph_random_edges(settings, 0, settings->edges, edges);
    *graph = (struct graph){(uint32_t)settings->vertices, settings->edges, edges, edges, bytes};
    return STATUS_OK;
}
