#include "apsp/apsp_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apsp/apsp_output.h"
#include "apsp/graph/file.h"
#include "apsp/graph/random.h"
#include "apsp/solve/cpu.h"
#include "util/clock.h"

// ---- Budget ----

// How large a default graph fits into the time that the user gives.

enum {
    PILOT_VERTICES = 256,
    PILOTS = 3,
    SIMULATED = 96, // the simulator runs a lane at a thousandth of a GPU's speed
    LEAST = 256,
    SOLUTIONS = 5,    // of each variant: one to verify, one to warm up, and some samples
    CPU_LADDER = 2,   // all variants together take as long as this many solutions by the slowest one
    GPU_LADDER = 4,   // the same
    CACHE_GAIN = 3,   // a graph that fits into a cache, as the pilot's does, is solved this many times faster
    GPU_LANES = 64,   // updates of a compute unit in a cycle
    GPU_SLOWEST = 100 // the slowest variant is this many times slower than that
};
static const double BUDGET_SHARE = 0.5;

static double cube(double vertices) {
    return vertices * vertices * vertices;
}

// Times the triple loop on a small graph, several times, because the first finds new pages and other programs may run.
static double time_pilot(void) {
    const size_t bytes = (size_t)PILOT_VERTICES * PILOT_VERTICES * sizeof(int32_t);
    int32_t *input = memory_zeros(1, bytes), *output = memory_zeros(1, bytes);
    const struct apsp_cpu_problem problem = {
        .input = input, .output = output, .vertices = PILOT_VERTICES, .max_weight = 1};
    double seconds = INFINITY;
    for (int i = 0; i < PILOTS; i++) {
        const double start = clock_s();
        apsp_cpu_reference.solve(&problem);
        seconds = fmin(seconds, clock_s() - start);
    }
    free(input);
    free(output);
    return seconds;
}

// An estimate of the slowest variant's rate on the run's device, in updates a second. On the CPU it is measured once,
// in a cache; the loop reads one matrix and writes another.
static double apsp_slowest_rate(const struct run *run, double vertices) {
    const struct device_info *info = run_info(run);
    struct apsp_session *session = apsp_session_of(run);
    if (!device_is_cpu(info)) {
        return info->compute_units * info->clock_mhz * 1e6 * (double)GPU_LANES / (double)GPU_SLOWEST;
    }
    if (session->cpu_updates_per_s <= 0) {
        session->cpu_updates_per_s = cube(PILOT_VERTICES) / time_pilot();
    }
    const bool in_cache = 2 * vertices * vertices * sizeof(int32_t) <= (double)info->last_level_cache_bytes;
    return session->cpu_updates_per_s / (in_cache ? 1 : CACHE_GAIN);
}

// The number of vertices of a random graph if --vertices does not say. It is smaller if the budget is small.
static uint32_t apsp_default_vertices(const struct run *asked) {
    const struct run *run = asked->predicts ? asked->predicts : asked; // a prediction is made for the same graph
    const struct device_info *info = run_info(run);
    const double budget_s = run->settings->budget_s;
    const double solutions = SOLUTIONS * (device_is_cpu(info) ? CPU_LADDER : GPU_LADDER);
    uint32_t vertices = device_is_cpu(info) ? APSP_DEFAULT_CPU_VERTICES : APSP_DEFAULT_GPU_VERTICES;
    if (info->predicted) {
        return SIMULATED;
    }
    while (isfinite(budget_s) && vertices > LEAST &&
           solutions * cube(vertices) > BUDGET_SHARE * budget_s * apsp_slowest_rate(run, vertices)) {
        vertices /= 2;
    }
    return vertices;
}

// ---- The graph ----

enum {
    CHECK_LISTS = 2, // checking the distances needs two more lists of the edges
    MATRICES = 4,    // the input, the result, and two that a solver works with
    HOPS = 1         // one of the next hops
};

static struct graph_random_settings random_settings(const struct run *run, uint64_t vertices) {
    const struct apsp_options *options = apsp_options_of(run);
    return graph_random_defaults((struct graph_random_settings){
        .vertices = vertices,
        .edges = options->edges,
        .max_weight = options->max_weight,
        .seed = run->settings->seed,
    });
}

void apsp_input_release(struct apsp_input *input) {
    graph_release(&input->graph);
    free(input->distances);
    apsp_hop_edges_release(&input->hop_edges);
    *input = (struct apsp_input){.read_ns = NAN, .initialise_ns = NAN};
}

static enum status read_file(struct apsp_session *session, struct error *error) {
    struct apsp_input *input = &session->input;
    if (input->graph.vertices) {
        return STATUS_OK;
    }
    apsp_input_release(input);
    const double start = clock_ns();
    enum status status = graph_read(session->options.graph, &input->graph, error);
    input->read_ns = clock_ns() - start;
    return status;
}

static uint32_t matrices(const struct run *run) {
    return MATRICES + (apsp_wants_paths(apsp_options_of(run)) ? HOPS : 0);
}

static enum status check_random(const struct run *run, uint64_t vertices, struct error *error) {
    const struct graph_random_settings settings = random_settings(run, vertices);
    TRY(graph_random_check(&settings, error));
    return graph_check_memory("--vertices", vertices, (1 + CHECK_LISTS) * settings.edges, matrices(run), error);
}

enum status apsp_input_check(const struct run *run, uint64_t vertices, struct error *error) {
    struct apsp_session *session = apsp_session_of(run);
    const struct apsp_options *options = &session->options;
    if (!options->graph) {
        return check_random(run, vertices, error);
    }
    if (!run->defaulted[APSP_VERTICES] || options->random || options->edges || options->max_weight) {
        return graph_refuse_options(options->graph, error);
    }
    TRY(read_file(session, error));
    const struct graph *graph = &session->input.graph;
    return graph_check_memory(options->graph, graph->vertices, CHECK_LISTS * graph->edge_count, matrices(run), error);
}

enum status apsp_input_graph(const struct run *run, uint64_t vertices, const struct apsp_input **found,
                             struct error *error) {
    struct apsp_session *session = apsp_session_of(run);
    struct apsp_input *input = &session->input;
    enum status status = STATUS_OK;
    *found = input;
    if (session->options.graph) {
        status = read_file(session, error);
    } else if (input->graph.vertices != vertices) {
        const struct graph_random_settings settings = random_settings(run, vertices);
        apsp_input_release(input);
        status = graph_random(&settings, &input->graph, error);
    }
    if (status != STATUS_OK || input->ready) {
        return status;
    }
    input->ready = true;
    input->max_weight = graph_max_weight(&input->graph);
    return apsp_save_graph(run, &input->graph, error);
}

int32_t *apsp_matrix_allocate(uint64_t vertices) {
    return page_allocate(vertices * vertices * sizeof(int32_t));
}

static enum status initialise(struct apsp_input *input, struct error *error) {
    const uint64_t n = input->graph.vertices;
    input->distances = apsp_matrix_allocate(n);
    if (!input->distances) {
        return error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    }
    memset(input->distances, 0, n * n * sizeof *input->distances); // so that no page fault is timed
    const double start = clock_ns();
    graph_distances(&input->graph, input->distances);
    input->initialise_ns = clock_ns() - start;
    return STATUS_OK;
}

enum status apsp_input_distances(const struct run *run, uint64_t vertices, const struct apsp_input **found,
                                 struct error *error) {
    TRY(apsp_input_graph(run, vertices, found, error));
    if (!(*found)->distances) {
        TRY(initialise(&apsp_session_of(run)->input, error));
    }
    return STATUS_OK;
}

enum status apsp_input_hop_edges(const struct run *run, const struct apsp_hop_edges **edges, struct error *error) {
    struct apsp_input *input = &apsp_session_of(run)->input;
    const bool wanted = apsp_wants_paths(apsp_options_of(run));
    *edges = wanted ? &input->hop_edges : NULL;
    return wanted && !input->hop_edges.memory ? apsp_hop_edges_make(&input->graph, &input->hop_edges, error)
                                              : STATUS_OK;
}

// Gives each GPU as many updates as one alone has: vertices^3 grows with the number of GPUs. The rows divide evenly,
// because they are whole tiles.
static uint32_t grown(uint32_t vertices, uint64_t devices) {
    const double tiles = vertices * cbrt((double)devices) / (double)APSP_REGISTER_TILE;
    return devices > 1 ? (uint32_t)ceil(tiles) * APSP_REGISTER_TILE : vertices;
}

uint32_t apsp_vertices(const struct run *run, const struct point *point) {
    const struct apsp_session *session = apsp_session_of(run);
    if (session->options.graph) {
        return session->input.graph.vertices;
    }
    const uint64_t given = point->values[APSP_VERTICES];
    const uint32_t vertices = given ? (uint32_t)given : apsp_default_vertices(run);
    return apsp_detail_of(point)->weak ? grown(vertices, point->values[APSP_DEVICES]) : vertices;
}

enum status apsp_emit_input(struct run *run, const struct apsp_input *input, struct error *error) {
    const double edge_bytes = (double)input->graph.edge_count * sizeof(struct edge);
    const double matrix_bytes = 4.0 * input->graph.vertices * input->graph.vertices;
    TRY(apsp_emit_time(run, input, "read", input->read_ns, edge_bytes, error));
    return apsp_emit_time(run, input, "init", input->initialise_ns, matrix_bytes, error);
}

// ---- Cost ----

// The cost of a point, for the plan that keeps within the budget.

enum {
    CPU_GAIN = 10 // every other variant is at least this many times faster than the slowest one
};

void apsp_cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    const struct apsp_cpu_method *method = apsp_detail_of(point)->cpu;
    const double vertices = apsp_vertices(run, point), bytes = vertices * vertices * sizeof(int32_t);
    cost->handle_bytes = 4 * bytes; // input, output, scratch memory, and the check's memory
    cost->round_s = vertices * vertices * vertices / apsp_slowest_rate(run, vertices) /
                    (method == &apsp_cpu_reference ? 1 : CPU_GAIN);
}
