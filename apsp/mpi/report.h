// The rows of a run, and the file of its distances. All ranks call these functions, and rank 0 writes.
#ifndef APSP_MPI_REPORT_H
#define APSP_MPI_REPORT_H

#include "apsp/mpi/share.h"
#include "bench/output.h"
#include "bench/probe.h"

// ---- The file of distances ----

// Writes the matrix of all ranks to one file of little-endian int32, row by row.

// Collective, with one status for all.
enum status distances_write(const struct ranks *ranks, const struct share *share, const char *path,
                            struct error *error);

// ---- The rows ----

struct report {
    const struct ranks *ranks;
    struct settings settings;
    struct bench_device bench_device;
    struct run run;
    struct output output;
    uint64_t vertices, edges, block;
};

// Collective, with one status for all. Without paths rank 0 prints a table.
enum status report_open(struct report *report, const struct ranks *ranks, struct device *device,
                        const struct output_paths *paths, struct error *error);
// Adds the metadata. `panels` says how these travel.
void report_start(struct report *report, const char *panels, int argc, char **argv);
void report_close(struct report *report);

// Emits a row of work that each rank's clock timed, with the time of the slowest rank. bytes counts those of all ranks
// together, or is NaN; `bandwidth` says that they moved in this time. Emits nothing if time_ns is NaN.
enum status report_time(struct report *report, const char *kernel, double time_ns, double bytes, bool bandwidth,
                        struct error *error);

// Emits the row of the whole solution.
enum status report_all(struct report *report, const struct measurement *measurement, double peak_gop_s,
                       struct error *error);

#endif
