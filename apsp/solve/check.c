// A row of distances is right if both conditions hold:
//   - No edge (k, j) makes row[j] > row[k] + weight. Then no distance is too large.
//   - Every reached vertex can be walked to from the row's own vertex along edges with row[j] = row[k] + weight. Then
//     no distance is too small, because each is the length of a path.
#include "apsp/solve/check.h"

#include <stdlib.h>
#include <string.h>

#include "apsp/graph/graph.h"

struct walk {
    uint32_t *queue;
    uint8_t *seen;
    uint32_t length;
};

static void visit(struct walk *walk, uint32_t vertex) {
    walk->seen[vertex] = 1;
    walk->queue[walk->length++] = vertex;
}

// Visits the vertices whose distance an edge from this one attains. Returns false if an edge makes a distance shorter.
static bool follow(const struct out_edges *edges, const int32_t *row, uint32_t vertex, struct walk *walk) {
    const int32_t so_far = row[vertex];
    for (uint64_t i = edges->first[vertex]; i < edges->first[vertex + 1]; i++) {
        const struct edge *edge = &edges->edges[i];
        const int32_t weight = edge->weight < UNREACHABLE ? edge->weight : UNREACHABLE;
        const int32_t sum = so_far + weight < UNREACHABLE ? so_far + weight : UNREACHABLE;
        if (sum < row[edge->to]) {
            return false;
        }
        if (sum == row[edge->to] && sum < UNREACHABLE && !walk->seen[edge->to]) {
            visit(walk, (uint32_t)edge->to);
        }
    }
    return true;
}

static bool row_is_right(const struct out_edges *edges, const int32_t *row, uint32_t vertices, uint32_t from,
                         struct walk *walk) {
    uint32_t reached = 0;
    for (uint32_t i = 0; i < vertices; i++) {
        if (row[i] < 0 || row[i] > UNREACHABLE) {
            return false;
        }
        reached += row[i] < UNREACHABLE;
    }
    memset(walk->seen, 0, vertices);
    walk->length = 0;
    visit(walk, from);
    bool right = row[from] == 0;
    for (uint32_t next = 0; next < walk->length && right; next++) {
        right = follow(edges, row, walk->queue[next], walk);
    }
    return right && walk->length == reached;
}

enum status apsp_check(const struct graph *graph, const int32_t *distances, bool *right, struct error *error) {
    const uint32_t n = graph->vertices;
    struct out_edges edges;
    bool room = true, all = true;
    TRY(out_edges_make(graph, &edges, error));
#pragma omp parallel reduction(&& : room, all)
    {
        struct walk walk = {malloc(n * sizeof *walk.queue), malloc(n), 0};
        room = walk.queue && walk.seen;
#pragma omp for schedule(dynamic, 16)
        for (uint32_t row = 0; row < n; row++) {
            all = all && room && row_is_right(&edges, distances + (uint64_t)row * n, n, row, &walk);
        }
        free(walk.queue);
        free(walk.seen);
    }
    out_edges_release(&edges);
    *right = all;
    return room ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory: use a smaller graph");
}
