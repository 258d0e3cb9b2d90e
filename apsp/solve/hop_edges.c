#include "apsp/solve/hop_edges.h"

#include <stdlib.h>

#include "apsp/graph/graph.h"

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
    enum status status = out_edges_make(graph, &sorted, error);
    if (status != STATUS_OK) {
        return status;
    }
    count_edges(&sorted, edges);
    edges->memory = malloc(apsp_hop_layout(edges).words * sizeof(uint32_t));
    status = edges->memory ? count_passes(graph, &edges->passes, error)
                           : error_set(error, STATUS_FAILED, "out of memory: use a smaller graph");
    if (status == STATUS_OK) {
        fill(&sorted, edges);
    }
    out_edges_release(&sorted);
    return status;
}
