// apsp-mpi's command line.
#ifndef APSP_MPI_COMMAND_LINE_H
#define APSP_MPI_COMMAND_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/output.h"
#include "util/error.h"

#define APSP_MPI_NAME "apsp-mpi"

enum {
    SAMPLES_MAX = 1000
};

// 0 or NULL means that the option was not given, except where a default is named.
struct command_line {
    const char *graph, *save_graph, *output, *devices;
    const char *exchange; // default: "auto"
    struct output_paths paths;
    bool random, unchecked, quiet;
    uint64_t vertices, edges, max_weight, block, samples;
    uint64_t seed;     // default: 1
    double min_time_s; // default: 0.5
    bool help, version, list_devices, list_gpus;
};

enum status command_line_parse(struct command_line *line, int argc, char **argv, struct error *error);

// Whether the command line only asks for information, and printing that.
bool command_line_asks(const struct command_line *line);
void command_line_answer(const struct command_line *line);

#endif
