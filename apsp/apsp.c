// apsp: all-pairs shortest paths by blocked Floyd-Warshall, a workload of tiles, arithmetic and memory.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apsp/apsp_input.h"
#include "apsp/apsp_link.h"
#include "apsp/apsp_output.h"
#include "apsp/apsp_session.h"
#include "apsp/apsp_settings.h"
#include "bench/plan.h"
#include "util/text.h"

static const struct apsp_session defaults = {
    .options = {.exchange = "auto",
                .look_ahead = "yes",
                .launch = "graph",
                .initialise = "auto",
                .host_memory = "pageable",
                .strip = "kernel"},
};

// clang-format off
static const struct parameter parameters[] = {
    [APSP_VERTICES] = {.name = "vertices", .letter = 'n', .help = "vertices of a random graph; default: see below",
                       .min = 1, .max = 1 << 20},
    [APSP_TILE] = {.name = "tile", .letter = 't', .help = "rows and columns of a tile (depends on the variant)",
                   .min = 1, .max = APSP_WIDE_TILE_MAX},
    [APSP_BLOCK] = {.name = "block", .letter = 'b', .help = "threads of a block, as 32x8 (depends on the variant)",
                    .min = 1, .max = 1024, .dimensions = true},
    [APSP_DEVICES] = {.name = "devices", .help = "how many of the devices of --device share a solution",
                      .min = 1, .max = SELECTION_DEVICES_MAX},
};
// clang-format on

static const struct option_row options[] = {
    {"graph", 'g', OPTION_INPUT, offsetof(struct apsp_session, options.graph), "FILE",
     "a graph: binary, DIMACS .gr or Matrix Market .mtx", 0, 0, 0},
    {"random", 0, OPTION_FLAG, offsetof(struct apsp_session, options.random), NULL,
     "use a random graph (the default without --graph)", 0, 0, 0},
    {"edges", 0, OPTION_COUNT, offsetof(struct apsp_session, options.edges), "N",
     "edges of a random graph (8 for each vertex)", 1, 1e12, 0},
    {"max-weight", 0, OPTION_COUNT, offsetof(struct apsp_session, options.max_weight), "N",
     "weights of a random graph are 0 to N (100)", 1, INT32_MAX, 0},
    {"save-graph", 0, OPTION_OUTPUT, offsetof(struct apsp_session, options.save_graph), "FILE",
     "write the graph, as a binary file", 0, 0, 0},
    {"exchange", 0, OPTION_CHOICE, offsetof(struct apsp_session, options.exchange), "auto|peer|host",
     "how several devices send the pivot's rows: to each other, through the host, or the faster way (auto)", 0, 0,
     "auto|peer|host"},
    {"memory-limit", 0, OPTION_COUNT, offsetof(struct apsp_session, options.memory_limit), "BYTES",
     "the GPU's memory that out-of-core uses (all that is free)", 1, 1e15, 0},
    {"look-ahead", 0, OPTION_CHOICE, offsetof(struct apsp_session, options.look_ahead), "yes|no",
     "prepare the next pivot of register-tiled during the rest of a round (yes)", 0, 0, "yes|no"},
    {"launch", 0, OPTION_CHOICE, offsetof(struct apsp_session, options.launch), "graph|stream",
     "how one GPU gets a solution's launches: recorded as a graph, or one by one (graph)", 0, 0, "graph|stream"},
    {"initialise", 0, OPTION_CHOICE, offsetof(struct apsp_session, options.initialise), "auto|host|device",
     "where the edges become a GPU's matrix; auto takes the place with fewer bytes to copy (auto)", 0, 0,
     "auto|host|device"},
    {"host-memory", 0, OPTION_CHOICE, offsetof(struct apsp_session, options.host_memory), "pageable|pinned",
     "the kind of host memory that a GPU's matrix is copied from and to (pageable)", 0, 0, "pageable|pinned"},
    {"strip", 0, OPTION_CHOICE, offsetof(struct apsp_session, options.strip), "kernel|copy",
     "what removes the padding from the result: a kernel, or the copy, row by row (kernel)", 0, 0, "kernel|copy"},
    {"output", 0, OPTION_OUTPUT, offsetof(struct apsp_session, options.output), "FILE",
     "write the distances: int32, row by row", 0, 0, 0},
    {"paths", 0, OPTION_FLAG, offsetof(struct apsp_session, options.paths), NULL,
     "also find and check the next vertex of every shortest path", 0, 0, 0},
    {"output-paths", 0, OPTION_OUTPUT, offsetof(struct apsp_session, options.output_paths), "FILE",
     "write these vertices: int32, row by row, -1 where there is no path", 0, 0, 0},
};

// A table has room only for the columns in which a variant's rows differ.
TABLE(one_device, COLUMN(device), COLUMN(variant), COLUMN(kernel), COLUMN(vertices), COLUMN(time_ns_median),
      COLUMN(interval_pct), COLUMN(gop_s), COLUMN_ON(ON_MEASURED, peak_gop_s), COLUMN(verdict));
TABLE(several_devices, COLUMN(device), COLUMN(variant), COLUMN(kernel), COLUMN(vertices), COLUMN(devices),
      COLUMN(time_ns_median), COLUMN(interval_pct), COLUMN(gop_s), COLUMN(verdict));
TABLE(cpu_peaks, COLUMN(device), COLUMN(variant), COLUMN_WIDE(op, 7), COLUMN(width_bytes), COLUMN(gop_s),
      COLUMN(peak_gop_s), COLUMN(verdict));
TABLE(gpu_peaks, COLUMN(device), COLUMN(variant), COLUMN_WIDE(op, 7), COLUMN(width_bytes), COLUMN(time_ns_median),
      COLUMN(interval_pct), COLUMN(gop_s), COLUMN(verdict));
TABLE(transfers, COLUMN(device), COLUMN(variant), COLUMN_WIDE(kernel, 8), COLUMN_WIDE(op, 22), COLUMN(time_ns_median),
      COLUMN(bandwidth_gb_s), COLUMN(verdict));

static const struct variant_kind on_cpu, on_gpu, on_several, out_of_core, of_transfers, cpu_peak, gpu_peak; // below

#define CPU(name, summary, method)                                                                                     \
    { name, summary, {[APSP_VERTICES] = "0"}, &(const struct apsp_detail){.cpu = method}, &on_cpu }
#define GPU(name, summary, tile, block, ...)                                                                           \
    {                                                                                                                  \
        name, summary, {[APSP_VERTICES] = "0", [APSP_TILE] = tile, [APSP_BLOCK] = block},                              \
            &(const struct apsp_detail){.settings = {__VA_ARGS__}}, &on_gpu                                            \
    }
#define SEVERAL(name, summary, grows)                                                                                  \
    {                                                                                                                  \
        name, summary, {[APSP_VERTICES] = "0", [APSP_TILE] = "0", [APSP_DEVICES] = "1:64"},                            \
            &(const struct apsp_detail){.settings = {.kernels = APSP_REGISTERS, .bits = 32}, .weak = grows},           \
            &on_several                                                                                                \
    }
// clang-format off
static const struct variant variants[] = {
    {"cpu-peak", "add-min instructions alone: the limit of the others", {0},
     &(const struct apsp_detail){0}, &cpu_peak},
    CPU("cpu-reference", "the textbook triple loop, by one thread", &apsp_cpu_reference),
    CPU("cpu-course", "tiles shared by OpenMP threads, 128-bit vectors", &apsp_cpu_course),
    CPU("cpu-tiled", "a packed min-plus multiply in register tiles", &apsp_cpu_tiled),
    CPU("cpu-int16", "cpu-tiled with two 16-bit distances in a word", &apsp_cpu_int16),
    GPU("baseline", "global memory, one thread per element, 1-D blocks", "32", "1024",
        .kernels = APSP_GLOBAL, .bits = 32, .linear = true, .bounded = true, .by_column = true),
    GPU("grid-2d", "baseline with 2-D blocks", "32", "32x32",
        .kernels = APSP_GLOBAL, .bits = 32, .bounded = true, .by_column = true),
    GPU("padded", "grid-2d on whole tiles, so that no bounds are checked", "32", "32x32",
        .kernels = APSP_GLOBAL, .bits = 32, .by_column = true),
    GPU("coalesced", "padded with lanes along rows, not columns", "32", "32x32", .kernels = APSP_GLOBAL, .bits = 32),
    GPU("shared-column", "tiles in shared memory, by columns: banks conflict", "32", "16x16",
        .kernels = APSP_SHARED, .bits = 32, .by_column = true, .unroll = 1),
    GPU("shared-row", "tiles in shared memory, by rows", "32", "16x16", .kernels = APSP_SHARED, .bits = 32, .unroll = 1),
    GPU("tile-64", "shared-row with larger tiles, read half as often", "64", "16x16",
        .kernels = APSP_SHARED, .bits = 32, .unroll = 1),
    GPU("occupancy", "tile-64 with as many threads as a block can have", "64", "32x32", .kernels = APSP_SHARED, .bits = 32, .unroll = 1),
    GPU("coarsened", "tile-64 with fewer threads, more elements in registers", "64", "32x8",
        .kernels = APSP_SHARED, .bits = 32, .unroll = 1),
    GPU("unrolled", "coarsened with its loop over pivots unrolled", "64", "32x8", .kernels = APSP_SHARED, .bits = 32, .unroll = 16),
    GPU("register-tiled", "register tiles of 32 to 512; phases 2 and 3 multiply", "0", NULL,
        .kernels = APSP_REGISTERS, .bits = 32),
    GPU("int16", "register-tiled with two 16-bit distances in a register", "0", NULL,
        .kernels = APSP_REGISTERS, .bits = 16),
    GPU("shared", "unrolled with tiles of many sizes", "16,32,48,64,78,80,90", "16x16",
        .kernels = APSP_SHARED, .bits = 32, .unroll = 16),
    GPU("global", "coalesced with tiles of many sizes", "16,32,64,128,256", "16x16", .kernels = APSP_GLOBAL, .bits = 32),
    SEVERAL("multi-device", "register-tiled, its rows split between devices", false),
    SEVERAL("weak-scaling", "multi-device with the same work for each device", true),
    {"out-of-core", "register-tiled, its matrix in the host's memory", {[APSP_VERTICES] = "0"},
     &(const struct apsp_detail){.settings = {.kernels = APSP_REGISTERS, .bits = 32}}, &out_of_core},
    {"transfers", "copies of the matrix to a GPU and back, by each option", {[APSP_VERTICES] = "0"},
     &(const struct apsp_detail){.settings = {.kernels = APSP_REGISTERS, .bits = 32, .tile = APSP_REGISTER_TILE}}, &of_transfers},
    {"min-plus-peak", "add-min of 32 and 16 bits, add and min, each alone", {0},
     &(const struct apsp_detail){0}, &gpu_peak},
};
// clang-format on

static bool runs_on_cpu(const struct variant *variant) {
    return variant->kind == &on_cpu || variant->kind == &cpu_peak;
}

// Whether the variant needs a graph.
static bool solves(const struct variant *variant) {
    return variant->kind != &cpu_peak && variant->kind != &gpu_peak;
}

static enum status supports(const void *session, const struct device *device, const struct variant *variant,
                            struct error *error) {
    const struct apsp_detail *detail = variant->detail;
    const struct apsp_options *given = &((const struct apsp_session *)session)->options;
    const bool cpu = runs_on_cpu(variant);
    if (device_is_cpu(&device->info) != cpu) {
        return error_set(error, STATUS_NO_DEVICE, "%s: runs on %s: give --device %s", variant->name,
                         cpu ? "the CPU" : "GPUs", cpu ? "cpu" : "cuda, hip or sim:h200");
    }
    if (variant->kind == &on_cpu && !detail->cpu) {
        return error_set(error, STATUS_NO_DEVICE, "%s has no kernel for the CPU: give another variant", variant->name);
    }
    // These run all blocks of a solution, and find no paths.
    const bool whole = variant->kind == &on_several || variant->kind == &out_of_core || variant->kind == &of_transfers;
    if (whole && device->info.simulated_blocks > 0) {
        return error_set(error, STATUS_USAGE,
                         "%s: measures a whole solution, not some of its blocks: leave --sim-blocks out",
                         variant->name);
    }
    if (whole && apsp_wants_paths(given)) {
        return error_set(error, STATUS_USAGE, "%s: finds no paths: leave --paths out, or give another variant",
                         variant->name);
    }
    return STATUS_OK;
}

static bool uses(const struct variant *variant, const struct option_row *option) {
    const struct apsp_detail *detail = variant->detail;
    const bool in_rounds = variant->kind == &on_gpu || variant->kind == &on_several;
    if (list_place("launch,initialise,host-memory,strip", ',', option->name) >= 0) {
        return in_rounds;
    }
    if (list_place("output,paths,output-paths", ',', option->name) >= 0) {
        return solves(variant) && variant->kind != &of_transfers;
    }
    return strcmp(option->name, "look-ahead") == 0     ? in_rounds && detail->settings.kernels == APSP_REGISTERS
           : strcmp(option->name, "exchange") == 0     ? variant->kind == &on_several
           : strcmp(option->name, "memory-limit") == 0 ? variant->kind == &out_of_core
                                                       : solves(variant);
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    const struct apsp_detail *detail = apsp_detail_of(point);
    // The number of vertices is known only when the file is read.
    TRY(apsp_input_check(run, apsp_options_of(run)->graph ? 0 : apsp_vertices(run, point), error));
    const bool grown = detail->weak && run->defaulted[APSP_DEVICES] && point->values[APSP_DEVICES] > 1;
    if (!grown) {
        TRY(apsp_output_check(run, apsp_vertices(run, point), error));
    }
    if (!runs_on_cpu(point->variant)) {
        TRY(apsp_settings_check(run, point, detail->settings.bits, error));
    }
    return STATUS_OK;
}

// Several devices share a solution, so it is measured once, on the run of the first of them. The default numbers of
// devices are powers of two, and all devices that can have a row of tiles.
static bool skip_devices(const struct run *run, const struct point *point) {
    if (!run->devices) {
        return false;
    }
    const uint64_t devices = point->values[APSP_DEVICES];
    const uint64_t tiles = apsp_rounds(run, point);
    const struct bench_device *first = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < run->device_count && most < tiles; i++) {
        const struct bench_device *bench = &run->devices[i];
        if (bench->device->info.backend == run_info(run)->backend) {
            first = first ? first : bench;
            most++;
        }
    }
    const bool sensible = devices == most || (devices < most && (devices & (devices - 1)) == 0);
    return first != run->bench_device || (run->defaulted[APSP_DEVICES] && !sensible);
}

// Skips default tiles that do not fit into the device's shared memory, and tiles that take long to simulate.
static bool skip(const struct run *run, const struct point *point) {
    const struct apsp_detail *detail = apsp_detail_of(point);
    const struct device_info *info = run_info(run);
    const bool slow = info->predicted && detail->settings.kernels == APSP_GLOBAL && point->values[APSP_TILE] > 64;
    return run->defaulted[APSP_TILE] && run->sweeps[APSP_TILE].count > 1 &&
           (slow || apsp_settings_check(run, point, detail->settings.bits, NULL) != STATUS_OK);
}

// Several processes would write the same file at once.
static bool keeps_rows(const void *session) {
    const struct apsp_options *given = &((const struct apsp_session *)session)->options;
    return given->output || given->output_paths || given->save_graph;
}

static void release(void *context) {
    struct apsp_session *session = context;
    apsp_input_release(&session->input);
    free(session->links);
}

// What people ask for first, and the steps that gain most.
static const struct telling telling[] = {
    {"cpu-tiled,cpu-int16,register-tiled,int16", {0}},
    {"cpu-course,baseline,coalesced,shared-row,unrolled", {0}},
};

static const struct metric metrics[] = {{.value = COLUMN_gop_s, .peak = COLUMN_peak_gop_s, .unit = "GOP/s"}};

static const struct variant_kind on_cpu = {
    .table = one_device, .check = check, .cost = apsp_cost, .measure = apsp_measure_cpu};
static const struct variant_kind on_gpu = {
    .table = one_device, .check = check, .skip = skip, .measure = apsp_measure_gpu};
static const struct variant_kind on_several = {
    .table = several_devices, .check = check, .skip = skip_devices, .measure = apsp_measure_gpu};
static const struct variant_kind out_of_core = {.table = one_device, .check = check, .measure = apsp_measure_streamed};
static const struct variant_kind of_transfers = {.table = transfers, .check = check, .measure = apsp_measure_transfers};
static const struct variant_kind cpu_peak = {.table = cpu_peaks, .measure = apsp_measure_cpu_peak};
static const struct variant_kind gpu_peak = {.table = gpu_peaks, .measure = apsp_measure_gpu_peak};

static const struct probe apsp = {
    .name = "apsp",
    .summary = "all-pairs shortest paths, from the plain kernel to the limit",
    .description = "The algorithm is blocked Floyd-Warshall. GOP/s counts vertices^3 min-plus updates over the time "
                   "from the matrix of edges to that of distances; peak is the rate of add-min instructions alone. "
                   "Every result is checked. By default the graph is random: of 2048 vertices on the CPU, 8192 on a "
                   "GPU, fewer if the budget is small, 96 on a simulated one. With --sim-blocks only the first round "
                   "is simulated, some blocks of each phase, and nothing is checked (verdict unverified).\nThe file "
                   "of --output holds vertices^2 little-endian int32; 1073741823 means unreachable.",
    PROBE_LIST(parameters, parameter_count),
    PROBE_LIST(variants, variant_count),
    PROBE_LIST(telling, telling_count),
    .session_bytes = sizeof(struct apsp_session),
    .session_defaults = &defaults,
    .release = release,
    .keeps_rows = keeps_rows,
    PROBE_LIST(options, option_count),
    PROBE_LIST(metrics, metric_count),
    .headline = "cpu-peak,cpu-tiled,cpu-int16,register-tiled,int16,min-plus-peak",
    .supports = supports,
    .uses = uses,
    .describe = apsp_link_describe,
};

int main(int argc, char **argv) {
    return program_main(&apsp, argc, argv);
}
