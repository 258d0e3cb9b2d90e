#include "apsp/graph/out_edges.h"

#include <stdlib.h>
#include <string.h>

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
