#include "apsp/mpi/command_line.h"

#include <stdio.h>
#include <string.h>

#include "apsp/mpi/engine.h"
#include "bench/listing.h"
#include "util/help.h"
#include "util/version.h"

static const struct option_row options[] = {
    {"graph", 'g', OPTION_INPUT, offsetof(struct command_line, graph), "FILE",
     "a graph: binary, DIMACS .gr or Matrix Market .mtx", 0, 0, 0},
    {"random", 0, OPTION_FLAG, offsetof(struct command_line, random), NULL,
     "use a random graph (the default without --graph)", 0, 0, 0},
    {"vertices", 0, OPTION_COUNT, offsetof(struct command_line, vertices), "N",
     "vertices of a random graph; default: see below", 1, 1 << 24, 0},
    {"edges", 0, OPTION_COUNT, offsetof(struct command_line, edges), "N", "edges of a random graph (8 for each vertex)",
     1, 1e12, 0},
    {"max-weight", 0, OPTION_COUNT, offsetof(struct command_line, max_weight), "N",
     "weights of a random graph are 0 to N (100)", 1, INT32_MAX, 0},
    {"seed", 0, OPTION_COUNT, offsetof(struct command_line, seed), "N", "the random data (1)", 0, 1e15, 0},
    {"save-graph", 0, OPTION_OUTPUT, offsetof(struct command_line, save_graph), "FILE",
     "write the graph, as a binary file", 0, 0, 0},
    {"output", 0, OPTION_OUTPUT, offsetof(struct command_line, output), "FILE",
     "write the distances: int32, row by row", 0, 0, 0},
    {"tile", 0, OPTION_COUNT, offsetof(struct command_line, block), "N",
     "rows and columns of the blocks that are dealt to the ranks; default: see below", 1, 1 << 16, 0},
    {"device", 'd', OPTION_TEXT, offsetof(struct command_line, devices), "SPEC[,SPEC]",
     "cpu (the default), cuda[:N], hip[:N], sim:GPU: the ranks of a node take them in turn", 0, 0, 0},
    {"exchange", 0, OPTION_CHOICE, offsetof(struct command_line, exchange), "auto|nccl|mpi|host",
     "how GPUs send panels: by NCCL or RCCL, by an MPI that takes their memory, through the host's memory, or the "
     "first of these that works (auto)",
     0, 0, "auto|nccl|mpi|host"},
    {"csv", 'o', OPTION_OUTPUT, offsetof(struct command_line, paths.csv), "FILE",
     "rows as CSV, - for standard output; an existing file is replaced when the first row is known; without it a table",
     0, 0, "-"},
    {"json", 'j', OPTION_OUTPUT, offsetof(struct command_line, paths.json), "FILE",
     "the same rows as one JSON object, - for standard output", 0, 0, "-"},
    {"min-time", 0, OPTION_REAL, offsetof(struct command_line, min_time_s), "S",
     "repeat the solution until S seconds have been measured (0.5)", 0, 86400, 0},
    {"samples", 0, OPTION_COUNT, offsetof(struct command_line, samples), "N", "solve exactly N times instead", 1,
     SAMPLES_MAX, 0},
    {"unchecked", 0, OPTION_FLAG, offsetof(struct command_line, unchecked), NULL, "don't check the distances", 0, 0, 0},
    {"quiet", 'q', OPTION_FLAG, offsetof(struct command_line, quiet), NULL, "no progress on standard error", 0, 0, 0},
    {"list-devices", 0, OPTION_FLAG, offsetof(struct command_line, list_devices), NULL,
     "the devices found, and why a backend is missing", 0, 0, 0},
    {"list-gpus", 0, OPTION_FLAG, offsetof(struct command_line, list_gpus), NULL, "the GPUs that sim knows", 0, 0, 0},
    {"help", 'h', OPTION_FLAG, offsetof(struct command_line, help), NULL, "this text", 0, 0, 0},
    {"version", 'V', OPTION_FLAG, offsetof(struct command_line, version), NULL, "the version", 0, 0, 0},
};

enum status command_line_parse(struct command_line *line, int argc, char **argv, struct error *error) {
    *line = (struct command_line){.exchange = "auto", .seed = 1, .min_time_s = 0.5};
    const struct option_table table = {options, sizeof options / sizeof *options, line};
    return options_parse(&table, 1, argc, argv, error);
}

static void print_help(void) {
    const struct option_table table = {options, sizeof options / sizeof *options, NULL};
    char description[2048];
    snprintf(description, sizeof description,
             "Start it as mpirun -n 4 " APSP_MPI_NAME " OPTION..., or with srun in a job, with one rank for each "
             "processor socket or GPU. On the CPU a rank computes with the threads of the processors that it is bound "
             "to. The matrix of distances is dealt to the ranks in blocks, and no rank holds more than its share. All "
             "ranks read and write files.\n"
             "By default the graph is random: of 2048 vertices on the CPU, 8192 on a GPU, 300 on a simulated one.\n"
             "GOP/s counts vertices^3 min-plus updates, peak is the rate of add-min instructions alone on all ranks. "
             "Every result is checked.\n"
             "The file of --output holds vertices^2 little-endian int32; 1073741823 means unreachable.\n"
             "Blocks have %d vertices on the CPU and %d, 256 or 512 on a GPU, by the size of the graph, or multiples "
             "of %d and %d.",
             2 * (int)engine_cpu_unit(), (int)engine_gpu_unit(), (int)engine_cpu_unit(), (int)engine_gpu_unit());
    help_print(&(struct help){
        .program = APSP_MPI_NAME,
        .summary = "all-pairs shortest paths by the ranks of an MPI run",
        .synopsis = "[OPTION]...",
        .tables = &table,
        .table_count = 1,
        .values = "N takes K, M, G (1024).",
        .description = description,
        .exit_status = "0 solved and right, 1 wrong or failed, 2 usage, 3 no such device.",
    });
}

bool command_line_asks(const struct command_line *line) {
    return line->help || line->version || line->list_devices || line->list_gpus;
}

void command_line_answer(const struct command_line *line) {
    if (line->help) {
        print_help();
    } else if (line->version) {
        printf("bankshot %s %s\n", APSP_MPI_NAME, version_text);
    } else if (line->list_devices) {
        list_devices();
    } else {
        list_gpus();
    }
}
