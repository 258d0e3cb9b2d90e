#include "apsp/graph/binary.h"

#include <inttypes.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "graph files are little-endian and are used as they are");

enum status graph_check_head(const char *path, struct graph_head head, uint64_t bytes, struct error *error) {
    const uint64_t expected = sizeof head + (uint64_t)(uint32_t)head.edges * sizeof(struct edge);
    if (head.vertices <= 0) {
        return error_set(error, STATUS_USAGE, "%s: byte 0: %" PRId32 " vertices: at least 1 is needed", path,
                         head.vertices);
    }
    if (head.edges < 0) {
        return error_set(error, STATUS_USAGE, "%s: byte 4: %" PRId32 " edges: the number cannot be negative", path,
                         head.edges);
    }
    if (bytes != expected) {
        return error_set(error, STATUS_USAGE,
                         "%s: byte %" PRIu64 ": the file %s, %" PRId32 " edges end at byte %" PRIu64
                         ": it is damaged or no graph",
                         path, bytes < expected ? bytes : expected, bytes < expected ? "ends here" : "goes on",
                         head.edges, expected);
    }
    return STATUS_OK;
}

static bool edge_is_right(const struct edge *edge, uint32_t vertices) {
    return (uint32_t)edge->from < vertices && (uint32_t)edge->to < vertices && edge->weight >= 0;
}

static enum status refuse_edge(const char *path, uint32_t vertices, const struct edge *edge, uint64_t index,
                               struct error *error) {
    const uint64_t byte = sizeof(struct graph_head) + index * sizeof *edge;
    if (edge->weight < 0 && (uint32_t)edge->from < vertices && (uint32_t)edge->to < vertices) {
        return error_set(error, STATUS_USAGE,
                         "%s: byte %" PRIu64 ": edge %" PRIu64 " weighs %" PRId32 ": weights cannot be negative", path,
                         byte + 8, index, edge->weight);
    }
    const bool from = (uint32_t)edge->from >= vertices;
    return error_set(error, STATUS_USAGE,
                     "%s: byte %" PRIu64 ": edge %" PRIu64 " names vertex %" PRId32 ": vertices are 0 to %" PRIu32,
                     path, byte + (from ? 0 : 4), index, from ? edge->from : edge->to, vertices - 1);
}

enum status graph_check_edges(const char *path, uint32_t vertices, const struct edge *edges, uint64_t first,
                              uint64_t count, struct error *error) {
    uint64_t wrong = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (uint64_t i = 0; i < count; i++) {
        if (!edge_is_right(&edges[i], vertices)) {
            wrong = i < wrong ? i : wrong;
        }
    }
    return wrong == UINT64_MAX ? STATUS_OK : refuse_edge(path, vertices, &edges[wrong], first + wrong, error);
}
