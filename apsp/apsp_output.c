#include "apsp/apsp_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "apsp/graph/file.h"
#include "util/clock.h"
#include "util/file.h"

struct row apsp_row(const struct run *run, const struct apsp_input *input, const char *kernel) {
    struct row row = run_row(run);
    snprintf(row.kernel, sizeof row.kernel, "%s", kernel);
    row.peak_gb_s = NAN; // this probe compares updates with their peak, not bytes
    row.vertices = input->graph.vertices;
    row.edges = input->graph.edge_count;
    return row;
}

enum status apsp_emit_time(struct run *run, const struct apsp_input *input, const char *kernel, double time_ns,
                           double bytes, struct error *error) {
    if (isnan(time_ns)) {
        return STATUS_OK;
    }
    struct row row = apsp_row(run, input, kernel);
    snprintf(row.source, sizeof row.source, "measured"); // by the host's clock, even if the device is simulated
    row_set_single_time(&row, time_ns);
    row.useful_bytes = bytes;
    row.bandwidth_gb_s = bytes / time_ns;
    return run_emit(run, &row, error);
}

// ---- Files of the result ----

enum status apsp_output_check(const struct run *run, uint64_t vertices, struct error *error) {
    struct apsp_session *session = apsp_session_of(run);
    const struct {
        const char *option, *path;
    } files[] = {
        {"output", session->options.output},
        {"output-paths", session->options.output_paths},
        {"save-graph", session->options.save_graph},
    };
    const bool first = session->output_vertices == 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (first) {
            TRY(file_write_check(files[i].path, error));
        } else if (files[i].path && session->output_vertices != vertices) {
            return error_set(error, STATUS_USAGE,
                             "--%s %s: it holds one graph, not those of %" PRIu64 " and of %" PRIu64
                             " vertices: give one number of --vertices",
                             files[i].option, files[i].path, session->output_vertices, vertices);
        }
    }
    session->output_vertices = first ? vertices : session->output_vertices;
    return STATUS_OK;
}

enum status apsp_save_graph(const struct run *run, const struct graph *graph, struct error *error) {
    const struct apsp_session *session = apsp_session_of(run);
    const bool wanted = session->options.save_graph && graph->vertices == session->output_vertices;
    // A prediction is of the same graph, and another process may make it.
    return wanted && !run->predicts ? graph_save(graph, session->options.save_graph, error) : STATUS_OK;
}

enum status apsp_write_output(const struct run *run, const struct apsp_input *input, const int32_t *distances,
                              const int32_t *next, struct apsp_written *written, struct error *error) {
    const struct apsp_session *session = apsp_session_of(run);
    const struct apsp_options *options = &session->options;
    const uint32_t vertices = input->graph.vertices;
    *written = (struct apsp_written){.time_ns = NAN};
    if ((!options->output && !options->output_paths) || vertices != session->output_vertices) {
        return STATUS_OK;
    }
    const double start = clock_ns();
    enum status status = options->output ? distances_save(distances, vertices, options->output, error) : STATUS_OK;
    if (status == STATUS_OK && options->output_paths) {
        status = distances_save(next, vertices, options->output_paths, error);
    }
    written->time_ns = clock_ns() - start;
    written->bytes = (!!options->output + !!options->output_paths) * 4.0 * vertices * vertices;
    return status;
}

enum status apsp_emit_output(struct run *run, const struct apsp_input *input, const int32_t *distances,
                             const int32_t *next, struct error *error) {
    struct apsp_written written;
    TRY(apsp_write_output(run, input, distances, next, &written, error));
    return apsp_emit_time(run, input, "write", written.time_ns, written.bytes, error);
}
