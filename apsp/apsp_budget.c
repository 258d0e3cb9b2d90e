#include "apsp/apsp_budget.h"

#include <math.h>
#include <stdlib.h>

#include "apsp/apsp_session.h"
#include "apsp/defaults.h"
#include "apsp/solve/cpu.h"
#include "util/clock.h"

enum {
    PILOT_VERTICES = 256,
    SIMULATED = 96, // the simulator runs a lane at a thousandth of a GPU's speed
    LEAST = 256,
    SOLUTIONS = 5,    // of each variant: one to verify, one to warm up, and some samples
    CPU_LADDER = 2,   // all variants together take as long as this many solutions by the slowest one
    GPU_LADDER = 4,   // the same
    CACHE_GAIN = 3,   // a graph as small as the pilot's is solved this many times faster, because it fits into a cache
    GPU_LANES = 64,   // updates of a compute unit in a cycle
    GPU_SLOWEST = 100 // the slowest variant is this many times slower than that
};
static const double BUDGET_SHARE = 0.5;

static double cube(double vertices) {
    return vertices * vertices * vertices;
}

// Times the triple loop on a small graph.
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

double apsp_slowest_rate(const struct run *run) {
    const struct device_info *info = &run->bench_device->device->info;
    struct apsp_session *session = apsp_session_of(run);
    if (!device_is_cpu(info)) {
        return info->compute_units * info->clock_mhz * 1e6 * (double)GPU_LANES / (double)GPU_SLOWEST;
    }
    if (session->cpu_updates_per_s <= 0) {
        session->cpu_updates_per_s = cube(PILOT_VERTICES) / time_pilot() / (double)CACHE_GAIN;
    }
    return session->cpu_updates_per_s;
}

uint32_t apsp_default_vertices(const struct run *asked) {
    const struct run *run = asked->predicts ? asked->predicts : asked; // a prediction is made for the same graph
    const struct device_info *info = &run->bench_device->device->info;
    const double budget_s = run->settings->budget_s;
    const double solutions = SOLUTIONS * (device_is_cpu(info) ? CPU_LADDER : GPU_LADDER);
    uint32_t vertices = device_is_cpu(info) ? APSP_DEFAULT_CPU_VERTICES : APSP_DEFAULT_GPU_VERTICES;
    if (info->predicted) {
        return SIMULATED;
    }
    while (isfinite(budget_s) && vertices > LEAST &&
           solutions * cube(vertices) > BUDGET_SHARE * budget_s * apsp_slowest_rate(run)) {
        vertices /= 2;
    }
    return vertices;
}
