#include "apsp/graph/write.h"

#include <inttypes.h>

#include "apsp/graph/binary.h"
#include "util/file.h"

enum status graph_check_edge_count(const char *path, uint64_t edges, struct error *error) {
    if (edges > INT32_MAX) {
        return error_set(error, STATUS_USAGE, "%s: %" PRIu64 " edges, the format holds %" PRId32 ": use fewer edges",
                         path, edges, INT32_MAX);
    }
    return STATUS_OK;
}

enum status graph_save(const struct graph *graph, const char *path, struct error *error) {
    const struct graph_head head = {(int32_t)graph->vertices, (int32_t)graph->edge_count};
    const struct file_piece pieces[] = {
        {&head, sizeof head},
        {graph->edges, graph->edge_count * sizeof *graph->edges},
    };
    TRY(graph_check_edge_count(path, graph->edge_count, error));
    return file_write(path, pieces, 2, error);
}

enum status distances_save(const int32_t *distances, uint64_t vertices, const char *path, struct error *error) {
    const struct file_piece piece = {distances, vertices * vertices * sizeof *distances};
    return file_write(path, &piece, 1, error);
}
