#include "apsp/graph/graph.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/host.h"

void graph_release(struct graph *graph) {
    free(graph->memory);
    *graph = (struct graph){0};
}

enum status graph_check_memory(const char *name, uint64_t vertices, uint64_t edges, uint32_t matrices,
                               struct error *error) {
    char what[PATH_MAX];
    const double n = (double)vertices;
    snprintf(what, sizeof what, "%s: %" PRIu64 " vertices", name, vertices);
    return cpu_memory_check(what, 4.0 * matrices * n * n + (double)edges * sizeof(struct edge), "use a smaller graph",
                            error);
}

enum {
    EDGES_AHEAD = 32 // edges come in random order, so an element is prefetched this many edges before its update
};

void graph_lower(int32_t *element, int32_t weight) {
    int32_t old = __atomic_load_n(element, __ATOMIC_RELAXED);
    while (weight < old &&
           !__atomic_compare_exchange_n(element, &old, weight, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static int32_t *element_of(const struct edge *edge, int32_t *distances, uint64_t vertices) {
    return &distances[(uint64_t)edge->from * vertices + (uint64_t)edge->to];
}

void graph_distances(const struct graph *graph, int32_t *distances) {
    const uint64_t n = graph->vertices;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (uint64_t row = 0; row < n; row++) {
            for (uint64_t column = 0; column < n; column++) {
                distances[row * n + column] = UNREACHABLE;
            }
            distances[row * n + row] = 0;
        }
#pragma omp for schedule(static)
        for (uint64_t i = 0; i < graph->edge_count; i++) {
            const struct edge *edge = &graph->edges[i];
            if (i + EDGES_AHEAD < graph->edge_count) {
                __builtin_prefetch(element_of(edge + EDGES_AHEAD, distances, n), 1);
            }
            graph_lower(element_of(edge, distances, n), edge->weight);
        }
    }
}

int32_t graph_max_weight(const struct graph *graph) {
    int32_t most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
    for (uint64_t i = 0; i < graph->edge_count; i++) {
        most = graph->edges[i].weight > most ? graph->edges[i].weight : most;
    }
    return most < UNREACHABLE ? most : UNREACHABLE;
}

// A stable counting sort of the edges by `from` or by `to`.
static void sort_edges(struct edge *to, const struct edge *from, uint64_t count, uint64_t *first, uint32_t vertices,
                       bool by_from) {
    memset(first, 0, (vertices + UINT64_C(1)) * sizeof *first);
    for (uint64_t i = 0; i < count; i++) {
        first[(by_from ? from[i].from : from[i].to) + 1]++;
    }
    for (uint32_t i = 0; i < vertices; i++) {
        first[i + 1] += first[i];
    }
    for (uint64_t i = 0; i < count; i++) {
        to[first[by_from ? from[i].from : from[i].to]++] = from[i];
    }
    memmove(first + 1, first, vertices * sizeof *first); // the loop has advanced each entry to the next one's beginning
    first[0] = 0;
}

void out_edges_release(struct out_edges *edges) {
    free(edges->first);
    free(edges->edges);
    *edges = (struct out_edges){0};
}

enum status out_edges_make(const struct graph *graph, struct out_edges *sorted, struct error *error) {
    struct edge *half = malloc((graph->edge_count + 1) * sizeof *half);
    sorted->edges = malloc((graph->edge_count + 1) * sizeof *sorted->edges);
    sorted->first = malloc((graph->vertices + UINT64_C(1)) * sizeof *sorted->first);
    const bool room = half && sorted->edges && sorted->first;
    if (room) {
        sort_edges(half, graph->edges, graph->edge_count, sorted->first, graph->vertices, false);
        sort_edges(sorted->edges, half, graph->edge_count, sorted->first, graph->vertices, true);
    } else {
        out_edges_release(sorted);
    }
    free(half);
    return room ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory: use a smaller graph");
}
