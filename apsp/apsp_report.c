#include "apsp/apsp_report.h"

#include <math.h>
#include <stdio.h>

#include "util/terminal.h"

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

void apsp_show_round(void *progress) {
    progress_advance(progress);
    progress_show(progress, "rounds");
}
