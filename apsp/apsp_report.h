// Rows of one part of a run, and progress.
#ifndef APSP_APSP_REPORT_H
#define APSP_APSP_REPORT_H

#include "apsp/apsp_session.h"

// A row of this graph; kernel names the part.
struct row apsp_row(const struct run *run, const struct apsp_input *input, const char *kernel);

// Emits a row of work that the host's clock timed and that moved so many bytes. Emits nothing if time_ns is NaN.
enum status apsp_emit_time(struct run *run, const struct apsp_input *input, const char *kernel, double time_ns,
                           double bytes, struct error *error);

// Advances and shows a struct progress by one round, for struct apsp_progress.
void apsp_show_round(void *progress);

#endif
