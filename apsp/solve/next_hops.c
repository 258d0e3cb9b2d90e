#include "apsp/solve/next_hops.h"

#include <stdlib.h>

struct apsp_hop_edge {
    uint32_t to;
    int32_t weight;
};

struct apsp_hop_layout apsp_hop_layout(const struct apsp_hop_edges *edges) {
    struct apsp_hop_layout layout = {.first = 0};
    layout.edges = layout.first + edges->vertices + 1 + (edges->vertices + 1) % 2; // edges are 8 bytes, and aligned
    layout.zero_rows = layout.edges + 2 * (size_t)edges->edge_count;
    layout.zero_first = layout.zero_rows + edges->zero_rows;
    layout.zero_to = layout.zero_first + edges->zero_rows + 1;
    layout.found = layout.zero_to + edges->zero_count;
    layout.words = layout.found + 1;
    return layout;
}

void apsp_hop_edges_release(struct apsp_hop_edges *edges) {
    free(edges->memory);
    *edges = (struct apsp_hop_edges){0};
}

// ---- Passes: a path along edges of weight 0 visits each vertex of their connected component once at most ----

static uint32_t root_of(uint32_t *parent, uint32_t vertex) {
    while (parent[vertex] != vertex) {
        parent[vertex] = parent[parent[vertex]];
        vertex = parent[vertex];
    }
    return vertex;
}

// The vertices of the largest component, without the one that a path leads to.
static enum status count_passes(const struct graph *graph, uint32_t *passes, struct error *error) {
    const uint32_t n = graph->vertices;
    uint32_t *parent = malloc(n * sizeof *parent), *size = malloc(n * sizeof *size), most = 1;
    const bool room = parent && size;
    for (uint32_t i = 0; i < n && room; i++) {
        parent[i] = i;
        size[i] = 1;
    }
    for (uint64_t i = 0; i < graph->edge_count && room; i++) {
        const struct edge *edge = &graph->edges[i];
        if (edge->weight == 0) {
            const uint32_t from = root_of(parent, (uint32_t)edge->from), to = root_of(parent, (uint32_t)edge->to);
            if (from != to) {
                parent[from] = to;
                size[to] += size[from];
                most = size[to] > most ? size[to] : most;
            }
        }
    }
    free(parent);
    free(size);
    *passes = most - 1;
    return room ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory: use a smaller graph");
}

// ---- The arrays ----

static void count_edges(const struct out_edges *sorted, struct apsp_hop_edges *edges) {
    for (uint32_t i = 0; i < edges->vertices; i++) {
        const uint32_t before = edges->zero_count;
        for (uint64_t e = sorted->first[i]; e < sorted->first[i + 1]; e++) {
            edges->zero_count += sorted->edges[e].weight == 0;
            edges->edge_count += sorted->edges[e].weight > 0;
        }
        edges->zero_rows += edges->zero_count > before;
    }
}

static int by_weight(const void *a, const void *b) {
    const struct apsp_hop_edge *x = a, *y = b;
    const int weights = (x->weight > y->weight) - (x->weight < y->weight);
    return weights ? weights : (x->to > y->to) - (x->to < y->to);
}

static void fill(const struct out_edges *sorted, struct apsp_hop_edges *edges) {
    const struct apsp_hop_layout at = apsp_hop_layout(edges);
    uint32_t *words = edges->memory, *zero_row = words + at.zero_rows, *zero_first = words + at.zero_first;
    uint32_t *zero_to = words + at.zero_to;
    struct apsp_hop_edge *first = (void *)(words + at.edges), *edge = first;
    for (uint32_t i = 0; i < edges->vertices; i++) {
        struct apsp_hop_edge *const own = edge;
        uint32_t *const own_zero = zero_to;
        words[at.first + i] = (uint32_t)(edge - first);
        for (uint64_t e = sorted->first[i]; e < sorted->first[i + 1]; e++) {
            const struct edge *from = &sorted->edges[e];
            if (from->weight == 0) {
                *zero_to++ = (uint32_t)from->to;
            } else {
                *edge++ = (struct apsp_hop_edge){(uint32_t)from->to, from->weight};
            }
        }
        qsort(own, (size_t)(edge - own), sizeof *own, by_weight);
        if (zero_to > own_zero) {
            *zero_row++ = i;
            *zero_first++ = (uint32_t)(own_zero - (words + at.zero_to));
        }
    }
    words[at.first + edges->vertices] = edges->edge_count;
    *zero_first = edges->zero_count;
    words[at.found] = 0;
}

enum status apsp_hop_edges_make(const struct graph *graph, struct apsp_hop_edges *edges, struct error *error) {
    struct out_edges sorted;
    *edges = (struct apsp_hop_edges){.vertices = graph->vertices};
    if (graph->edge_count > UINT32_MAX) {
        return error_set(error, STATUS_USAGE, "--paths: the graph has more than 2^32 edges: leave it out");
    }
    TRY(out_edges_make(graph, &sorted, error));
    count_edges(&sorted, edges);
    edges->memory = malloc(apsp_hop_layout(edges).words * sizeof(uint32_t));
    const enum status status = edges->memory ? count_passes(graph, &edges->passes, error)
                                             : error_set(error, STATUS_FAILED, "out of memory: use a smaller graph");
    if (status == STATUS_OK) {
        fill(&sorted, edges);
    }
    out_edges_release(&sorted);
    return status;
}

#define APSP_NO_HOP (-1)

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

// ---- A check of the paths ----

// A hop from i to k is right if an edge from i to k weighs what the distances to j differ by. Then the hops to j add up
// to the distance, if they end at j. Only hops of weight 0 could go round in a circle, because all others come closer
// to j. So each walk along hops of weight 0 is followed until it comes closer or ends.

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
    TRY(out_edges_make(graph, &edges, error));
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
