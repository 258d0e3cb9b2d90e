#include "apsp/apsp_output.h"

#include <inttypes.h>
#include <math.h>

#include "apsp/apsp_report.h"
#include "apsp/graph/write.h"
#include "util/clock.h"
#include "util/file_write.h"

enum status apsp_output_check(const struct run *run, uint64_t vertices, struct error *error) {
    struct apsp_session *session = apsp_session_of(run);
    const struct apsp_options *options = &session->options;
    const char *path = options->output ? options->output : options->save_graph;
    if (path && session->output_vertices && session->output_vertices != vertices) {
        return error_set(error, STATUS_USAGE,
                         "--%s %s: it holds one graph, not those of %" PRIu64 " and of %" PRIu64
                         " vertices: give one number of --vertices",
                         options->output ? "output" : "save-graph", path, session->output_vertices, vertices);
    }
    if (session->output_vertices) {
        return STATUS_OK;
    }
    session->output_vertices = vertices;
    enum status status = file_write_check(options->output, error);
    return status == STATUS_OK ? file_write_check(options->save_graph, error) : status;
}

enum status apsp_save_graph(const struct run *run, const struct graph *graph, struct error *error) {
    const struct apsp_session *session = apsp_session_of(run);
    const bool wanted = session->options.save_graph && graph->vertices == session->output_vertices;
    return wanted ? graph_save(graph, session->options.save_graph, error) : STATUS_OK;
}

enum status apsp_write_output(const struct run *run, const struct apsp_input *input, const int32_t *distances,
                              double *time_ns, struct error *error) {
    const struct apsp_session *session = apsp_session_of(run);
    *time_ns = NAN;
    if (!session->options.output || input->graph.vertices != session->output_vertices) {
        return STATUS_OK;
    }
    const double start = clock_ns();
    enum status status = distances_save(distances, input->graph.vertices, session->options.output, error);
    *time_ns = clock_ns() - start;
    return status;
}

enum status apsp_emit_output(struct run *run, const struct apsp_input *input, const int32_t *distances,
                             struct error *error) {
    const double n = input->graph.vertices;
    double time_ns;
    enum status status = apsp_write_output(run, input, distances, &time_ns, error);
    return status == STATUS_OK ? apsp_emit_time(run, input, "write", time_ns, 4 * n * n, error) : status;
}
