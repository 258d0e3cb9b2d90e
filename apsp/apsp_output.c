// The files that a run leaves: the graph, and its distances.
#include <inttypes.h>
#include <math.h>

#include "apsp/apsp.h"
#include "apsp/graph/write.h"
#include "util/file_write.h"

static uint64_t output_vertices; // of the graph that the files hold; 0: not known yet

enum status apsp_output_check(uint64_t vertices, struct error *error) {
    const char *path = apsp_options.output ? apsp_options.output : apsp_options.save_graph;
    if (path && output_vertices && output_vertices != vertices) {
        return error_set(error, STATUS_USAGE,
                         "--%s %s: it holds one graph, not those of %" PRIu64 " and of %" PRIu64
                         " vertices: give one number of --vertices",
                         apsp_options.output ? "output" : "save-graph", path, output_vertices, vertices);
    }
    if (output_vertices) {
        return STATUS_OK;
    }
    output_vertices = vertices;
    enum status status = file_write_check(apsp_options.output, error);
    return status == STATUS_OK ? file_write_check(apsp_options.save_graph, error) : status;
}

enum status apsp_save_graph(const struct graph *graph, struct error *error) {
    const bool wanted = apsp_options.save_graph && graph->vertices == output_vertices;
    return wanted ? graph_save(graph, apsp_options.save_graph, error) : STATUS_OK;
}

enum status apsp_write_output(const struct apsp_input *from, const int32_t *distances, double *time_ns,
                              struct error *error) {
    *time_ns = NAN;
    if (!apsp_options.output || from->graph.vertices != output_vertices) {
        return STATUS_OK;
    }
    const double start = apsp_now_ns();
    enum status status = distances_save(distances, from->graph.vertices, apsp_options.output, error);
    *time_ns = apsp_now_ns() - start;
    return status;
}

enum status apsp_emit_output(struct run *run, const struct apsp_input *from, const int32_t *distances,
                             struct error *error) {
    const double n = from->graph.vertices;
    double time_ns;
    enum status status = apsp_write_output(from, distances, &time_ns, error);
    return status == STATUS_OK ? apsp_emit_time(run, from, "write", time_ns, 4 * n * n, error) : status;
}
