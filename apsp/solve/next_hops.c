#include "apsp/solve/next_hops.h"

enum {
    FRESH = 1 << 29 // shifted by the number of a pass: a hop that this pass has found, which it must not build on
};

static int32_t fresh(uint32_t pass) {
    return FRESH << pass % 2;
}

// The edges with a weight, in the order in which every solver tries them.
static void search_row(const struct apsp_hop_edges *edges, const int32_t *distances, int32_t *next, uint32_t row) {
    const uint32_t *words = edges->memory;
    const struct apsp_hop_layout at = apsp_hop_layout(edges);
    const struct apsp_hop_edge *all = (const void *)(words + at.edges);
    const size_t n = edges->vertices;
    const int32_t *own = distances + row * n;
    int32_t *hops = next + row * n;
    for (size_t j = 0; j < n; j++) {
        hops[j] = j == row ? (int32_t)row : APSP_NO_HOP;
    }
    for (uint32_t e = words[at.first + row]; e < words[at.first + row + 1]; e++) {
        const struct apsp_hop_edge edge = all[e];
        const int32_t *onward = distances + edge.to * n;
        for (size_t j = 0; j < n && edge.weight < UNREACHABLE; j++) {
            const int32_t found = onward[j] + edge.weight == own[j] && own[j] < UNREACHABLE;
            hops[j] = hops[j] < 0 && found ? (int32_t)edge.to : hops[j];
        }
    }
}

static int32_t hop_by_zero(const struct apsp_hop_edges *edges, const int32_t *distances, const int32_t *next,
                           uint32_t index, size_t j, uint32_t pass) {
    const uint32_t *words = edges->memory;
    const struct apsp_hop_layout at = apsp_hop_layout(edges);
    const size_t n = edges->vertices, row = words[at.zero_rows + index];
    const int32_t own = distances[row * n + j];
    for (uint32_t e = words[at.zero_first + index]; e < words[at.zero_first + index + 1] && own < UNREACHABLE; e++) {
        const size_t onward = words[at.zero_to + e] * n + j;
        const int32_t hop = __atomic_load_n(&next[onward], __ATOMIC_RELAXED); // another thread may just find it
        if (distances[onward] == own && hop >= 0 && !(hop & fresh(pass))) {
            return (int32_t)words[at.zero_to + e] | fresh(pass);
        }
    }
    return APSP_NO_HOP;
}

// One pass over a row, in which it also forgets what was fresh in the pass before. Tells whether it found a hop.
static bool search_zero_row(const struct apsp_hop_edges *edges, const int32_t *distances, int32_t *next, uint32_t index,
                            uint32_t pass) {
    const uint32_t *words = edges->memory;
    const size_t n = edges->vertices;
    int32_t *hops = next + words[apsp_hop_layout(edges).zero_rows + index] * n;
    bool found = false;
    for (size_t j = 0; j < n; j++) {
        const int32_t hop = hops[j];
        const int32_t now = hop < 0 ? hop_by_zero(edges, distances, next, index, j, pass) : hop & ~fresh(pass + 1);
        __atomic_store_n(&hops[j], now, __ATOMIC_RELAXED);
        found = found || (hop < 0 && now >= 0);
    }
    return found;
}

void apsp_next_hops(const struct apsp_hop_edges *edges, const int32_t *distances, int32_t *next) {
#pragma omp parallel for schedule(dynamic, 4)
    for (uint32_t row = 0; row < edges->vertices; row++) {
        search_row(edges, distances, next, row);
    }
    bool found = edges->passes > 0;
    for (uint32_t pass = 0; found; pass++) { // a pass that finds none has still forgotten what was fresh
        found = false;
#pragma omp parallel for schedule(dynamic, 4) reduction(|| : found)
        for (uint32_t index = 0; index < edges->zero_rows; index++) {
            found = search_zero_row(edges, distances, next, index, pass) || found;
        }
    }
}
