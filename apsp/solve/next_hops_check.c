// A hop from i to k is right if an edge from i to k weighs what the distances to j differ by. Then the hops to j add up
// to the distance, if they end at j. Only hops of weight 0 could go round in a circle, because all others come closer
// to j. So each walk along hops of weight 0 is followed until it comes closer or ends.
#include "apsp/solve/next_hops_check.h"

#include "apsp/graph/graph.h"
#include "apsp/solve/next_hops.h"

struct checked {
    const struct out_edges *edges;
    const int32_t *distances, *next;
    uint32_t vertices;
};

static bool has_edge(const struct out_edges *edges, uint32_t from, int32_t to, int32_t weight) {
    uint64_t low = edges->first[from], high = edges->first[from + 1];
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (edges->edges[middle].to < to) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < edges->first[from + 1] && edges->edges[low].to == to; low++) {
        if (edges->edges[low].weight == weight) {
            return true;
        }
    }
    return false;
}

static bool is_vertex(const struct checked *c, int32_t hop) {
    return hop >= 0 && (uint32_t)hop < c->vertices;
}

// Whether a walk from a vertex comes closer to j, or to j itself, within as many hops as there are vertices. The walk's
// other hops are checked in their own rows.
static bool advances(const struct checked *c, uint32_t from, uint32_t j) {
    const size_t n = c->vertices;
    const int32_t distance = c->distances[from * n + j];
    uint32_t at = from;
    for (uint32_t hops = 0; hops < c->vertices && at != j && c->distances[at * n + j] == distance; hops++) {
        const int32_t hop = c->next[at * n + j];
        if (!is_vertex(c, hop)) {
            return false;
        }
        at = (uint32_t)hop;
    }
    return at == j || c->distances[at * n + j] < distance;
}

static bool is_right(const struct checked *c, uint32_t i, uint32_t j) {
    const size_t n = c->vertices;
    const int32_t hop = c->next[i * n + j], distance = c->distances[i * n + j];
    if (i == j) {
        return hop == (int32_t)i;
    }
    if (distance >= UNREACHABLE || !is_vertex(c, hop)) {
        return distance >= UNREACHABLE && hop == APSP_NO_HOP;
    }
    const int32_t weight = distance - c->distances[(size_t)hop * n + j];
    return has_edge(c->edges, i, hop, weight) && (weight > 0 || advances(c, i, j));
}

enum status apsp_next_hops_check(const struct graph *graph, const int32_t *distances, const int32_t *next, bool *right,
                                 uint64_t *paths, struct error *error) {
    const uint32_t n = graph->vertices;
    struct out_edges edges;
    const struct checked c = {&edges, distances, next, n};
    uint64_t count = 0;
    bool all = true;
    enum status status = out_edges_make(graph, &edges, error);
    if (status != STATUS_OK) {
        return status;
    }
#pragma omp parallel for schedule(dynamic, 16) reduction(&& : all) reduction(+ : count)
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n && all; j++) {
            all = all && is_right(&c, i, j);
            count += i != j && distances[(size_t)i * n + j] < UNREACHABLE;
        }
    }
    out_edges_release(&edges);
    *right = all;
    *paths = count;
    return STATUS_OK;
}
