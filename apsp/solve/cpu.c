#include "apsp/solve/cpu.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "apsp/graph/graph.h"
#include "apsp/solve/cpu_course.h"
#include "apsp/solve/cpu_solver.h"

struct arguments {
    const int32_t *input;
    int32_t *output;
    void *scratch;
    uint32_t vertices;
    int32_t max_weight;
    struct apsp_cpu_report *report;
};

static void *pointer_argument(const struct launch *launch, size_t index) {
    return (void *)(uintptr_t)launch->arguments[index].value.pointer;
}

static struct arguments arguments_of(const struct launch *launch) {
    return (struct arguments){
        .input = pointer_argument(launch, 0),
        .output = pointer_argument(launch, 1),
        .scratch = pointer_argument(launch, 2),
        .vertices = launch->arguments[3].value.u32,
        .max_weight = (int32_t)launch->arguments[4].value.u32,
        .report = pointer_argument(launch, 5),
    };
}

// The triple loop by one thread, row by row, so that the inner loop runs along memory.
static void reference(int32_t *distances, uint32_t vertices, struct progress *progress) {
    const size_t n = vertices;
    for (size_t k = 0; k < n; k++) {
        const int32_t *pivot = distances + k * n;
        for (size_t i = 0; i < n; i++) {
            int32_t *row = distances + i * n;
            const int32_t first = row[k];
            for (size_t j = 0; j < n; j++) {
                const int32_t sum = first + pivot[j];
                row[j] = sum < row[j] ? sum : row[j];
            }
        }
        show_rounds(progress);
    }
}

static void solve_reference(const struct launch *launch, const struct kernel_constants *constants) {
    (void)constants;
    const struct arguments a = arguments_of(launch);
    memcpy(a.output, a.input, (size_t)a.vertices * a.vertices * sizeof *a.output);
    reference(a.output, a.vertices, a.report->progress);
    a.report->width_bytes = sizeof *a.output;
}

static void solve_course(const struct launch *launch, const struct kernel_constants *constants) {
    (void)constants;
    const struct arguments a = arguments_of(launch);
    apsp_cpu_course(a.input, a.output, a.scratch, a.vertices, a.report->progress);
    a.report->width_bytes = sizeof *a.output;
}

static void solve_tiled(const struct launch *launch, const struct kernel_constants *constants) {
    (void)constants;
    const struct arguments a = arguments_of(launch);
    solver_of(sizeof(int32_t))->run(a.input, a.output, a.scratch, a.vertices, a.report->progress);
    a.report->width_bytes = sizeof(int32_t);
}

// 16 bits hold distances below FAR16, and FAR16 for everything as far or farther: minima of what was there and of sums
// keep that so exactly. On the way to a farther vertex distances grow by no more than the heaviest edge, so where the
// largest one found is that much below FAR16, there is none beyond it.
static void solve_int16(const struct launch *launch, const struct kernel_constants *constants) {
    (void)constants;
    const struct arguments a = arguments_of(launch);
    if (a.max_weight < FAR16) {
        const int32_t most =
            solver_of(sizeof(uint16_t))->run(a.input, a.output, a.scratch, a.vertices, a.report->progress);
        if (most + a.max_weight < FAR16) {
            a.report->width_bytes = sizeof(uint16_t);
            return;
        }
    }
    solve_tiled(launch, constants);
}

static const struct apsp_cpu_variant variants[] = {
    {"cpu-reference", solve_reference, 4},
    {"cpu-course", solve_course, 4},
    {"cpu-tiled", solve_tiled, 4},
    {"cpu-int16", solve_int16, 2},
};

const struct apsp_cpu_variant *apsp_cpu_find(const char *name) {
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        if (strcmp(variants[i].name, name) == 0) {
            return &variants[i];
        }
    }
    return NULL;
}

uint64_t apsp_cpu_scratch_bytes(const struct apsp_cpu_variant *variant, uint32_t vertices) {
    if (variant->solve == solve_course) {
        return apsp_cpu_course_bytes(vertices);
    }
    // That of 32 bits serves 16 too, which may have to fall back on it.
    return variant->solve == solve_reference ? 0 : solver_of(sizeof(int32_t))->scratch_bytes(vertices);
}

size_t apsp_cpu_rounds(const struct apsp_cpu_variant *variant, uint32_t vertices) {
    const size_t pivots = variant->solve == solve_reference ? 1
                          : variant->solve == solve_course  ? APSP_CPU_COURSE_TILE
                                                            : SOLVER_BLOCK;
    return (vertices + pivots - 1) / pivots;
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// The best of several tries: other programs can only lower it.
double apsp_cpu_peak_gop_s(uint32_t width_bytes) {
    enum {
        TRIES = 8,
        ROUNDS = 1 << 21
    };
    const struct solver *solver = solver_of(width_bytes);
    double best = 0;
    for (int i = 0; i < TRIES; i++) {
        double updates = 0;
        const double start = now_s();
#pragma omp parallel reduction(+ : updates)
        updates += solver->bare(ROUNDS);
        const double rate = updates / (now_s() - start) * 1e-9;
        best = rate > best ? rate : best;
    }
    return best;
}
