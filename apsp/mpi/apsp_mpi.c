// apsp-mpi: all-pairs shortest paths by the ranks of an MPI run, on one machine or on many, for graphs whose matrix
// does not fit into one machine's memory.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apsp/graph/file.h"
#include "apsp/mpi/check.h"
#include "apsp/mpi/engine.h"
#include "apsp/mpi/report.h"
#include "apsp/mpi/solve.h"
#include "apsp/solve/cpu_solver.h"
#include "apsp/solve/gpu.h"
#include "bench/listing.h"
#include "bench/output.h"
#include "bench/row.h"
#include "device/cpu/host.h"
#include "util/file.h"
#include "util/help.h"
#include "util/statistics.h"
#include "util/terminal.h"
#include "util/threads.h"
#include "util/version.h"

// ---- The command line ----

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

static const struct option_row options[] = {
    {"graph", 'g', OPTION_INPUT, offsetof(struct command_line, graph), "FILE",
     "a graph: binary, DIMACS .gr or Matrix Market .mtx", 0, 0, 0},
    {"random", 0, OPTION_FLAG, offsetof(struct command_line, random), NULL,
     "use a random graph (the default without --graph)", 0, 0, 0},
    {"vertices", 'n', OPTION_COUNT, offsetof(struct command_line, vertices), "N",
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
    {"tile", 't', OPTION_COUNT, offsetof(struct command_line, block), "N",
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

static enum status command_line_parse(struct command_line *line, int argc, char **argv, struct error *error) {
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

// Whether the command line only asks for information.
static bool command_line_asks(const struct command_line *line) {
    return line->help || line->version || line->list_devices || line->list_gpus;
}

static void command_line_answer(const struct command_line *line) {
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

struct program {
    struct command_line line;
    struct ranks ranks;
    uint32_t block;
    bool wide; // GPUs have wide panels
    struct device *device;
    struct engine *engine;
    struct exchange exchange;
    struct edge_source source;
    struct share share;
    struct edge_share edges;
    struct report report;
    double read_ns, initialise_ns;
    struct solve_times times;
    struct measurement measurement;
    bool right;
};

// ---- The device ----

// How many devices a spec stands for; 0 if it names a single one.
static uint32_t devices_of(const char *spec) {
    uint32_t count = 0;
    for (enum backend_kind kind = BACKEND_CUDA; kind <= BACKEND_HIP; kind++) {
        if (strcmp(backend_of(kind)->name, spec) == 0 && backend_count(backend_of(kind), &count, NULL) != STATUS_OK) {
            count = 0;
        }
    }
    return count;
}

// Chooses this rank's device: ranks take the named specs in turn and, if a spec is a backend, its devices in turn.
static void choose_device(const struct program *p, char *spec, size_t size) {
    const char *at = p->line.devices ? p->line.devices : "cpu";
    int names = 1;
    for (const char *comma = at; (comma = strchr(comma, ',')); comma++) {
        names++;
    }
    for (int skip = p->ranks.node_rank % names; skip > 0; skip--) {
        at = strchr(at, ',') + 1;
    }
    snprintf(spec, size, "%.*s", (int)strcspn(at, ","), at);
    const uint32_t count = devices_of(spec);
    if (count > 0) {
        const size_t length = strlen(spec);
        snprintf(spec + length, size - length, ":%" PRIu32, (uint32_t)(p->ranks.node_rank / names) % count);
    }
}

static bool on_cpu(const struct program *p) {
    return device_is_cpu(&p->device->info);
}

static enum status open_device(struct program *p, struct error *error) {
    char spec[64];
    choose_device(p, spec, sizeof spec);
    TRY(ranks_agree(&p->ranks, device_open(spec, &p->device, error), error));
    int kinds[2] = {on_cpu(p), !on_cpu(p)};
    MPI_Allreduce(MPI_IN_PLACE, kinds, 2, MPI_INT, MPI_MAX, p->ranks.world);
    if (kinds[0] && kinds[1]) {
        return error_set(error, STATUS_USAGE, "--device %s: CPUs and GPUs don't share a matrix: name one kind",
                         p->line.devices);
    }
    const uint32_t unit = on_cpu(p) ? engine_cpu_unit() : engine_gpu_unit();
    if (p->line.block % unit) {
        return error_set(error, STATUS_USAGE, "--tile %" PRIu64 ": give a multiple of %" PRIu32, p->line.block, unit);
    }
    return STATUS_OK;
}

// ---- The graph ----

static uint64_t default_vertices(const struct program *p) {
    enum {
        SIMULATED = 300 // several blocks for each rank, although the simulator is slow
    };
    return on_cpu(p) ? APSP_DEFAULT_CPU_VERTICES : p->device->info.predicted ? SIMULATED : APSP_DEFAULT_GPU_VERTICES;
}

static enum status make_random(struct program *p, struct error *error) {
    const struct graph_random_settings settings = graph_random_defaults((struct graph_random_settings){
        .vertices = p->line.vertices ? p->line.vertices : default_vertices(p),
        .edges = p->line.edges,
        .max_weight = p->line.max_weight,
        .seed = p->line.seed,
    });
    p->read_ns = NAN;
    p->source = edge_source_random(&p->ranks, &settings);
    return graph_random_check(&settings, error);
}

static enum status open_graph(struct program *p, struct error *error) {
    if (!p->line.graph) {
        return make_random(p, error);
    }
    if (p->line.random || p->line.vertices || p->line.edges || p->line.max_weight) {
        return graph_refuse_options(p->line.graph, error);
    }
    const double start = MPI_Wtime();
    enum status status = edge_source_open(&p->ranks, p->line.graph, &p->source, error);
    p->read_ns = (MPI_Wtime() - start) * 1e9;
    return status;
}

// GPUs may differ, but all ranks must have the same blocks and panels.
static void choose_block(struct program *p) {
    const struct ranks *ranks = &p->ranks;
    const struct device_info *info = &p->device->info;
    const uint32_t best = on_cpu(p) ? 2 * engine_cpu_unit()
                                    : apsp_gpu_tile(info, p->source.vertices, 32, (uint64_t)ranks->grid_rows,
                                                    (uint64_t)ranks->grid_columns);
    uint32_t least[] = {best, apsp_may_be_wide(info)};
    MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_UINT32_T, MPI_MIN, ranks->world);
    p->block = p->line.block ? (uint32_t)p->line.block : least[0];
    p->wide = least[1];
}

// Refuses a graph if the ranks of a node need more memory than the node has. The ranks have about equal numbers of
// edges.
static enum status check_memory(const struct program *p, struct error *error) {
    const struct share *share = &p->share;
    double needed =
        (double)share_bytes(share) +
        (on_cpu(p) ? (double)solve_bytes(share) + (double)engine_cpu_bytes(share) : (double)solve_panel_bytes(share)) +
        (double)p->source.edge_count / p->ranks.count * sizeof(struct edge) +
        (p->line.unchecked ? 0 : (double)check_bytes(share));
    MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_DOUBLE, MPI_SUM, p->ranks.node);
    const double available = (double)cpu_memory().available_bytes;
    enum status status = STATUS_OK;
    if (needed > available) {
        status = error_set(error, STATUS_USAGE,
                           "%" PRIu32 " vertices need %.3g GB for a node's %d of %d ranks, %.3g GB are available: use "
                           "more nodes, or fewer vertices",
                           share->rows.vertices, needed / 1e9, p->ranks.node_count, p->ranks.count, available / 1e9);
    }
    return ranks_agree(&p->ranks, status, error);
}

static enum status deal_edges(struct program *p, struct error *error) {
    const double start = MPI_Wtime();
    enum status status = edge_share_deal(&p->ranks, &p->source, &p->share, p->line.save_graph, &p->edges, error);
    p->read_ns += (MPI_Wtime() - start) * 1e9; // stays NaN if no file was read
    edge_source_close(&p->source);
    return status;
}

// ---- The measurement ----

// Times a solution by the slowest rank. On a simulated GPU the time is the model's prediction for the kernels.
static enum status time_solution(struct program *p, struct progress *progress, double *time_ns, struct error *error) {
    const bool predicted = p->device->info.predicted;
    if (predicted) {
        device_predict_begin(p->device);
    }
    const enum status status = solve(&p->ranks, p->engine, &p->exchange, progress, &p->times, error);
    *time_ns = predicted ? device_predict_end(p->device).ns : p->times.total_ns;
    MPI_Allreduce(MPI_IN_PLACE, time_ns, 1, MPI_DOUBLE, MPI_MAX, p->ranks.world);
    return ranks_agree(&p->ranks, status, error);
}

static enum status take_sample(struct program *p, double *time_ns, struct error *error) {
    const double start = MPI_Wtime();
    share_initialise(&p->share, p->edges.edges, p->edges.count);
    p->initialise_ns = (MPI_Wtime() - start) * 1e9;
    struct progress progress = progress_start_lines(cyclic_blocks(&p->share.rows), p->ranks.rank != 0 || p->line.quiet);
    enum status status = ranks_agree(&p->ranks, p->engine->operations->load(p->engine, error), error);
    THEN(status, time_solution(p, &progress, time_ns, error));
    progress_clear(&progress);
    return status;
}

// All ranks stop together, because they know the same times.
static bool is_enough(const struct program *p, uint64_t samples, double sum_ns) {
    if (p->line.samples || p->device->info.predicted) {
        return samples >= (p->line.samples ? p->line.samples : 1);
    }
    return sum_ns >= p->line.min_time_s * 1e9 || samples == SAMPLES_MAX;
}

static enum status take_samples(struct program *p, struct error *error) {
    static const double NOISE_PCT = 0.5;
    double times_ns[SAMPLES_MAX], sum_ns = 0;
    uint64_t samples = 0;
    enum status status;
    do {
        status = take_sample(p, &times_ns[samples], error);
        sum_ns += times_ns[samples++];
    } while (status == STATUS_OK && !is_enough(p, samples, sum_ns));
    p->measurement = measurement_empty();
    p->measurement.samples = p->device->info.predicted ? 0 : samples;
    p->measurement.time_ns = statistics_of(times_ns, samples);
    p->measurement.verdicts = p->device->info.predicted ? 0 : verdicts_of_time(&p->measurement.time_ns, NOISE_PCT);
    return status;
}

static enum status prepare(struct program *p, struct error *error) {
    enum status status = ranks_agree(&p->ranks, share_allocate(&p->share, error), error);
    if (status == STATUS_OK) {
        status = on_cpu(p) ? engine_cpu_open(p->device, &p->share, &p->engine, error)
                           : engine_gpu_open(p->device, &p->share, p->wide, &p->engine, error);
        status = ranks_agree(&p->ranks, status, error);
    }
    THEN(status, exchange_open(&p->ranks, p->device, p->engine->panels, p->line.exchange, solve_panel_bytes(&p->share),
                               &p->exchange, error));
    return status;
}

// Measures the peak on all ranks at once, because they also compute at once. NaN on GPUs, which build/apsp measures.
static double measure_peak(const struct program *p) {
    double peak = on_cpu(p) ? apsp_cpu_peak_gop_s(sizeof(int32_t)) : NAN;
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_SUM, p->ranks.world);
    return peak;
}

// ---- Results ----

static enum status report_parts(struct program *p, struct error *error) {
    static const char *const phases[] = {"phase1", "phase2", "phase3"};
    struct report *report = &p->report;
    const double n = p->share.rows.vertices, edge_bytes = (double)p->source.edge_count * sizeof(struct edge);
    double received = p->times.received_bytes;
    MPI_Allreduce(MPI_IN_PLACE, &received, 1, MPI_DOUBLE, MPI_SUM, p->ranks.world);
    TRY(report_time(report, "read", p->read_ns, edge_bytes, true, error));
    TRY(report_time(report, "init", p->initialise_ns, 4 * n * n, true, error));
    TRY(report_time(report, "exchange", p->times.wait_ns, received, false, error));
    for (size_t i = 0; i < 3 && on_cpu(p); i++) {
        TRY(report_time(report, phases[i], p->times.phase_ns[i], NAN, false, error));
    }
    return STATUS_OK;
}

static enum status check_and_report(struct program *p, struct error *error) {
    TRY(report_parts(p, error));
    const double peak = measure_peak(p), start = MPI_Wtime();
    if (!p->line.unchecked) {
        TRY(check(&p->ranks, &p->share, &p->edges, &p->right, error));
        const double time_ns = (MPI_Wtime() - start) * 1e9;
        TRY(report_time(&p->report, "check", time_ns, NAN, false, error));
    }
    p->measurement.verification = p->line.unchecked ? VERIFICATION_LEFT_OUT : verification_of(p->right);
    return report_all(&p->report, &p->measurement, peak, error);
}

static enum status write_output(struct program *p, struct error *error) {
    const double n = p->share.rows.vertices, start = MPI_Wtime();
    TRY(distances_write(&p->ranks, &p->share, p->line.output, error));
    const double time_ns = (MPI_Wtime() - start) * 1e9;
    return report_time(&p->report, "write", time_ns, 4 * n * n, true, error);
}

// ---- The whole ----

// Rank 0 checks for all.
static enum status check_outputs(const struct program *p, struct error *error) {
    enum status status = STATUS_OK;
    if (p->ranks.rank == 0) {
        status = file_write_check(p->line.output, error);
        THEN(status, file_write_check(p->line.save_graph, error));
    }
    return ranks_agree(&p->ranks, status, error);
}

// Refuses what cannot work, before anything is computed or written.
static enum status get_ready(struct program *p, struct error *error) {
    TRY(check_outputs(p, error));
    TRY(open_device(p, error));
    TRY(open_graph(p, error));
    choose_block(p);
    p->share = share_make(&p->ranks, p->source.vertices, p->block);
    p->report.vertices = p->source.vertices;
    p->report.edges = p->source.edge_count;
    p->report.block = p->block;
    TRY(check_memory(p, error));
    return report_open(&p->report, &p->ranks, p->device, &p->line.paths, error);
}

// Brings the result into the host's memory.
static enum status unload(struct program *p, struct error *error) {
    const struct engine_operations *operations = p->engine->operations;
    return ranks_agree(&p->ranks, operations->unload ? operations->unload(p->engine, error) : STATUS_OK, error);
}

static enum status run(struct program *p, int argc, char **argv, struct error *error) {
    TRY(get_ready(p, error));
    TRY(deal_edges(p, error));
    TRY(prepare(p, error));
    report_start(&p->report, p->exchange.text, argc, argv);
    TRY(take_samples(p, error));
    TRY(unload(p, error));
    TRY(check_and_report(p, error));
    if (p->line.output) {
        TRY(write_output(p, error));
    }
    if (!p->right && !p->line.unchecked) {
        TRY(error_set(error, STATUS_FAILED, "a result was wrong: see the rows that are not verified"));
    }
    return STATUS_OK;
}

static void release(struct program *p) {
    report_close(&p->report);
    exchange_close(&p->exchange);
    if (p->engine) {
        p->engine->operations->close(p->engine);
    }
    share_release(&p->share);
    edge_share_release(&p->edges);
    device_close(p->device);
}

int main(int argc, char **argv) {
    struct program program = {0};
    struct program *p = &program;
    struct error error = {0};
    ranks_begin(&argc, &argv);
    ranks_open(&p->ranks);
    ranks_divide_processors(&p->ranks);
    enum status status = command_line_parse(&p->line, argc, argv, &error);
    THEN(status, threads_check(&error));
    status = ranks_agree(&p->ranks, status, &error);
    if (status == STATUS_OK && !command_line_asks(&p->line)) {
        status = run(p, argc, argv, &error);
    } else if (status == STATUS_OK && p->ranks.rank == 0) {
        command_line_answer(&p->line);
    }
    if (p->ranks.rank == 0 && status == STATUS_OK) {
        status = standard_output_finish(&error);
    }
    if (p->ranks.rank == 0 && status != STATUS_OK) {
        error_print(APSP_MPI_NAME, &error);
    }
    error_clear(&error);
    release(p);
    ranks_close(&p->ranks);
    MPI_Finalize();
    return (int)status;
}
