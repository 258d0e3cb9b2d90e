// The rows of a run, which rank 0 writes; the other ranks call the same functions and write nothing.
#ifndef APSP_MPI_REPORT_H
#define APSP_MPI_REPORT_H

#include "apsp/mpi/share.h"
#include "bench/output.h"
#include "bench/probe.h"

struct report {
    const struct ranks *ranks;
    struct settings settings;
    struct bench_device bench_device;
    struct run run;
    struct output output;
    uint64_t vertices, edges, block;
};

// Collective, with one status for all. csv_path NULL: a table.
enum status report_open(struct report *report, const struct ranks *ranks, struct device *device, const char *csv_path,
                        struct error *error);
// The file's old content is gone.
enum status report_start(struct report *report, int argc, char **argv, struct error *error);
void report_close(struct report *report);

// A piece of work that this rank's clock timed: the row tells the time of the slowest one. bytes: of all ranks
// together; with bandwidth, they moved in that time. NaN: none; a NaN time: no row.
enum status report_time(struct report *report, const char *kernel, double time_ns, double bytes, bool bandwidth,
                        struct error *error);

// The whole solution.
enum status report_all(struct report *report, const struct measurement *measurement, enum verification verification,
                       double peak_gop_s, struct error *error);

#endif
