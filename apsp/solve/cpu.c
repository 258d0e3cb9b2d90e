#include "apsp/solve/cpu.h"

#include <string.h>

#include "apsp/graph/graph.h"
#include "apsp/solve/cpu_course.h"
#include "apsp/solve/cpu_solver.h"

static uint64_t no_scratch(uint32_t vertices) {
    (void)vertices;
    return 0;
}

// The inner loop runs along rows, so that memory is read in order.
static uint32_t solve_reference(const struct apsp_cpu_problem *p) {
    const size_t n = p->vertices;
    memcpy(p->output, p->input, n * n * sizeof *p->output);
    for (size_t k = 0; k < n; k++) {
        const int32_t *pivot = p->output + k * n;
        for (size_t i = 0; i < n; i++) {
            int32_t *row = p->output + i * n;
            const int32_t first = row[k];
            for (size_t j = 0; j < n; j++) {
                const int32_t sum = first + pivot[j];
                row[j] = sum < row[j] ? sum : row[j];
            }
        }
        apsp_round_done(p->progress);
    }
    return sizeof *p->output;
}

const struct apsp_cpu_method apsp_cpu_reference = {
    .solve = solve_reference,
    .scratch_bytes = no_scratch,
    .width_bytes = sizeof(int32_t),
    .pivots_per_round = 1,
};

static uint64_t course_scratch_bytes(uint32_t vertices) {
    return apsp_cpu_course_bytes(vertices);
}

static uint32_t solve_course(const struct apsp_cpu_problem *p) {
    apsp_cpu_course_solve(p->input, p->output, p->scratch, p->vertices, p->progress);
    return sizeof *p->output;
}

const struct apsp_cpu_method apsp_cpu_course = {
    .solve = solve_course,
    .scratch_bytes = course_scratch_bytes,
    .width_bytes = sizeof(int32_t),
    .pivots_per_round = APSP_CPU_COURSE_TILE,
};

static uint64_t tiled_scratch_bytes(uint32_t vertices) {
    return solver_of(sizeof(int32_t))->scratch_bytes(vertices);
}

static uint32_t solve_tiled(const struct apsp_cpu_problem *p) {
    solver_of(sizeof(int32_t))->run(p->input, p->output, p->scratch, p->vertices, p->progress);
    return sizeof(int32_t);
}

const struct apsp_cpu_method apsp_cpu_tiled = {
    .solve = solve_tiled,
    .scratch_bytes = tiled_scratch_bytes,
    .width_bytes = sizeof(int32_t),
    .pivots_per_round = SOLVER_BLOCK,
};

// In 16 bits FAR16 stands for every distance from FAR16 up. Sums and minima keep that exact. A path to a farther vertex
// adds at most the heaviest edge, so if the largest distance found is that much below FAR16, no distance lies beyond.
static uint32_t solve_int16(const struct apsp_cpu_problem *p) {
    if (p->max_weight < FAR16) {
        const int32_t largest =
            solver_of(sizeof(uint16_t))->run(p->input, p->output, p->scratch, p->vertices, p->progress);
        if (largest + p->max_weight < FAR16) {
            return sizeof(uint16_t);
        }
    }
    return solve_tiled(p);
}

const struct apsp_cpu_method apsp_cpu_int16 = {
    .solve = solve_int16,
    .scratch_bytes = tiled_scratch_bytes, // enough for 32 bits, which may be needed
    .width_bytes = sizeof(uint16_t),
    .pivots_per_round = SOLVER_BLOCK,
};
