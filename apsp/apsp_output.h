// The rows of a run, and the files that it writes: the graph and its distances.
#ifndef APSP_APSP_OUTPUT_H
#define APSP_APSP_OUTPUT_H

#include "apsp/apsp_session.h"

// Rows of one part of a run.

// A row of this graph; kernel names the part.
struct row apsp_row(const struct run *run, const struct apsp_input *input, const char *kernel);

// Emits a row of work that the host's clock timed and that moved so many bytes. Emits nothing if time_ns is NaN.
enum status apsp_emit_time(struct run *run, const struct apsp_input *input, const char *kernel, double time_ns,
                           double bytes, struct error *error);

// ---- Files of the result ----

// Refuses --output, --output-paths and --save-graph if they cannot be written, or if the run has graphs of several
// sizes, because a file holds one graph. vertices is the size of a graph that will be solved.
enum status apsp_output_check(const struct run *run, uint64_t vertices, struct error *error);

// Writes --save-graph, if it is given and this is the graph that apsp_output_check allowed.
enum status apsp_save_graph(const struct run *run, const struct graph *graph, struct error *error);

struct apsp_written {
    double time_ns, bytes; // the time is NaN if nothing was written
};

// Likewise writes --output and --output-paths. next may be NULL without the latter.
enum status apsp_write_output(const struct run *run, const struct apsp_input *input, const int32_t *distances,
                              const int32_t *next, struct apsp_written *written, struct error *error);

// Writes the same and emits its row, on the CPU.
enum status apsp_emit_output(struct run *run, const struct apsp_input *input, const int32_t *distances,
                             const int32_t *next, struct error *error);

#endif
