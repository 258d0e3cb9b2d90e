#include "apsp/apsp_cost.h"

#include <math.h>
#include <stdlib.h>

#include "apsp/apsp_input.h"
#include "apsp/apsp_variant.h"
#include "apsp/defaults.h"
#include "util/clock.h"

enum {
    PILOT_VERTICES = 256,
    SIMULATED = 96, // the simulator runs a lane at a thousandth of a GPU's speed
    LEAST = 256,
    ROUNDS = 5,       // to verify, to warm up, and some samples
    CPU_LADDER = 2,   // all variants together, in solutions of the slowest one
    GPU_LADDER = 4,   // likewise
    CACHE_GAIN = 3,   // of a graph as small as the pilot's
    CPU_GAIN = 10,    // at least, of the fast variants over the slowest one
    GPU_LANES = 64,   // add and min of a compute unit, in a cycle
    GPU_SLOWEST = 100 // how many times slower than the compute units the slowest variant is
};
static const double BUDGET_SHARE = 0.5;

static double cube(double vertices) {
    return vertices * vertices * vertices;
}

// The triple loop on a small graph.
static double time_pilot(void) {
    const size_t bytes = (size_t)PILOT_VERTICES * PILOT_VERTICES * sizeof(int32_t);
    int32_t *input = calloc(1, bytes), *output = calloc(1, bytes);
    const struct apsp_cpu_problem problem = {
        .input = input, .output = output, .vertices = PILOT_VERTICES, .max_weight = 1};
    const double start = clock_s();
    if (input && output) {
        apsp_cpu_reference.solve(&problem);
    }
    const double seconds = clock_s() - start;
    free(input);
    free(output);
    return seconds;
}

// Of the slowest variant, in updates a second.
static double slowest_rate(const struct device_info *info) {
    static double cpu_rate;
    if (!device_is_cpu(info)) {
        return info->compute_units * info->clock_mhz * 1e6 * GPU_LANES / GPU_SLOWEST;
    }
    if (cpu_rate <= 0) {
        cpu_rate = cube(PILOT_VERTICES) / time_pilot() / CACHE_GAIN;
    }
    return cpu_rate;
}

uint32_t apsp_default_vertices(const struct run *asked) {
    const struct run *run = asked->predicts ? asked->predicts : asked; // a prediction is of the same graph
    const struct device_info *info = &run->bench_device->device->info;
    const double budget_s = run->settings->budget_s;
    const double solutions = ROUNDS * (device_is_cpu(info) ? CPU_LADDER : GPU_LADDER);
    uint32_t vertices = device_is_cpu(info) ? APSP_DEFAULT_CPU_VERTICES : APSP_DEFAULT_GPU_VERTICES;
    if (info->predicted) {
        return SIMULATED;
    }
    while (isfinite(budget_s) && vertices > LEAST &&
           solutions * cube(vertices) > BUDGET_SHARE * budget_s * slowest_rate(info)) {
        vertices /= 2;
    }
    return vertices;
}

void apsp_cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    const struct apsp_cpu_method *method = apsp_detail_of(point)->cpu;
    if (!method) {
        return; // learned as solutions are done
    }
    const double vertices = apsp_vertices(run, point), bytes = vertices * vertices * sizeof(int32_t);
    cost->handle_bytes = 4 * bytes; // input, output, what a solver works in, and what checks it
    cost->round_s = cube(vertices) / slowest_rate(&run->bench_device->device->info) /
                    (method == &apsp_cpu_reference ? 1 : CPU_GAIN);
}
