#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "apsp/apsp.h"
#include "apsp/graph/random.h"
#include "apsp/graph/read.h"

enum {
    CHECK_LISTS = 2, // of edges, that checking the distances takes beside the graph's own
    MATRICES = 4     // input, result, what a solver works on and with
};

static struct apsp_input input;

double apsp_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static struct graph_random_settings random_settings(uint64_t vertices, uint64_t seed) {
    return graph_random_defaults(
        (struct graph_random_settings){vertices, apsp_options.edges, apsp_options.max_weight, seed});
}

static void forget(void) {
    graph_release(&input.graph);
    free(input.distances);
    input = (struct apsp_input){.read_ns = NAN, .initialise_ns = NAN};
}

static enum status read_file(struct error *error) {
    if (input.graph.vertices) {
        return STATUS_OK;
    }
    forget();
    const double start = apsp_now_ns();
    enum status status = graph_read(apsp_options.graph, &input.graph, error);
    input.read_ns = apsp_now_ns() - start;
    return status;
}

static enum status check_random(uint64_t vertices, struct error *error) {
    const struct graph_random_settings settings = random_settings(vertices, 0);
    enum status status = graph_random_check(&settings, error);
    if (status == STATUS_OK) {
        status = graph_check_memory("--vertices", vertices, (1 + CHECK_LISTS) * settings.edges, MATRICES, error);
    }
    return status;
}

enum status apsp_input_check(const struct run *run, uint64_t vertices, struct error *error) {
    if (!apsp_options.graph) {
        return check_random(vertices, error);
    }
    if (!run->defaulted[APSP_VERTICES] || apsp_options.random || apsp_options.edges || apsp_options.max_weight) {
        return error_set(error, STATUS_USAGE,
                         "--graph %s: the file says what graph it is: leave out --random, --vertices, --edges and "
                         "--max-weight",
                         apsp_options.graph);
    }
    enum status status = read_file(error);
    const struct graph *graph = &input.graph;
    return status == STATUS_OK ? graph_check_memory(apsp_options.graph, graph->vertices,
                                                    CHECK_LISTS * graph->edge_count, MATRICES, error)
                               : status;
}

static enum status make_random(const struct run *run, uint64_t vertices, struct error *error) {
    const struct graph_random_settings settings = random_settings(vertices, run->settings->seed);
    forget();
    return graph_random(&settings, &input.graph, error);
}

enum status apsp_input_graph(const struct run *run, uint64_t vertices, const struct apsp_input **found,
                             struct error *error) {
    enum status status = STATUS_OK;
    *found = &input;
    if (apsp_options.graph) {
        status = read_file(error);
    } else if (input.graph.vertices != vertices) {
        status = make_random(run, vertices, error);
    }
    if (status != STATUS_OK || input.ready) {
        return status;
    }
    input.ready = true;
    input.max_weight = graph_max_weight(&input.graph);
    return apsp_save_graph(&input.graph, error);
}

int32_t *apsp_matrix_allocate(uint64_t vertices) {
    return page_allocate(vertices * vertices * sizeof(int32_t));
}

static enum status initialise(struct error *error) {
    const uint64_t n = input.graph.vertices;
    input.distances = apsp_matrix_allocate(n);
    if (!input.distances) {
        return error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    }
    memset(input.distances, 0, n * n * sizeof *input.distances); // the pages are there before the clock runs
    const double start = apsp_now_ns();
    graph_distances(&input.graph, input.distances);
    input.initialise_ns = apsp_now_ns() - start;
    return STATUS_OK;
}

enum status apsp_input_get(const struct run *run, uint64_t vertices, const struct apsp_input **found,
                           struct error *error) {
    enum status status = apsp_input_graph(run, vertices, found, error);
    return status == STATUS_OK && !input.distances ? initialise(error) : status;
}

// As many updates for each device: vertices^3 grows as the devices do. Whole tiles, so that rows divide evenly.
static uint32_t grown(uint32_t vertices, uint64_t devices) {
    const double tiles = vertices * cbrt((double)devices) / (double)APSP_REGISTER_TILE;
    return devices > 1 ? (uint32_t)ceil(tiles) * APSP_REGISTER_TILE : vertices;
}

uint32_t apsp_vertices(const struct run *run, const struct point *point) {
    enum {
        CPU = 2048,
        GPU = 8192,
        SIMULATED = 96 // a lane is simulated a thousandth as fast
    };
    const struct run *asked = run->predicts ? run->predicts : run;
    const struct device_info *info = &asked->bench_device->device->info;
    const struct apsp_detail *detail = point->variant->detail;
    if (apsp_options.graph) {
        return input.graph.vertices;
    }
    const uint32_t vertices = point->values[APSP_VERTICES] ? (uint32_t)point->values[APSP_VERTICES]
                              : info->predicted            ? SIMULATED
                              : device_is_cpu(info)        ? CPU
                                                           : GPU;
    return detail->weak ? grown(vertices, point->values[APSP_DEVICES]) : vertices;
}

struct row apsp_row(const struct run *run, const struct apsp_input *from, const char *kernel) {
    struct row row = run_row(run);
    snprintf(row.kernel, sizeof row.kernel, "%s", kernel);
    row.peak_gb_s = NAN; // updates are what counts here
    row.vertices = from->graph.vertices;
    row.edges = from->graph.edge_count;
    return row;
}

enum status apsp_emit_time(struct run *run, const struct apsp_input *from, const char *kernel, double time_ns,
                           double bytes, struct error *error) {
    if (isnan(time_ns)) {
        return STATUS_OK;
    }
    struct row row = apsp_row(run, from, kernel);
    snprintf(row.source, sizeof row.source, "measured"); // by the host's clock, whatever the device
    row.samples = 1;
    row.time_ns_median = time_ns;
    row.useful_bytes = bytes;
    row.bandwidth_gb_s = bytes / time_ns;
    snprintf(row.verdict, sizeof row.verdict, "ok");
    return run_emit(run, &row, error);
}

enum status apsp_emit_input(struct run *run, const struct apsp_input *from, struct error *error) {
    const double edge_bytes = (double)from->graph.edge_count * sizeof(struct edge);
    const double matrix_bytes = 4.0 * from->graph.vertices * from->graph.vertices;
    enum status status = apsp_emit_time(run, from, "read", from->read_ns, edge_bytes, error);
    return status == STATUS_OK ? apsp_emit_time(run, from, "init", from->initialise_ns, matrix_bytes, error) : status;
}
