#include "apsp/solve/cpu.h"

#include <string.h>

#include "apsp/graph/graph.h"
#include "apsp/solve/cpu_solver.h"
#include "util/whole.h"

// ---- The course of the blocked algorithm ----

// The method of a parallel programming course: the three phases on tiles of a padded matrix, with OpenMP over the tiles
// and 128-bit vectors in the inner loop. It shows what packing and register tiles gain.

#if defined __x86_64__
#include <smmintrin.h>
#define TARGET __attribute__((target("sse4.1")))
#define MIN(a, b) (vector) _mm_min_epi32((__m128i)(a), (__m128i)(b))
#elif defined __aarch64__
#include <arm_neon.h>
#define TARGET
#define MIN(a, b) (vector) vminq_s32((int32x4_t)(a), (int32x4_t)(b))
#else
#define TARGET
#define MIN(a, b) (((a) & ((a) < (b))) | ((b) & ~((a) < (b))))
#endif

enum {
    TILE = 64, // three tiles of 16 KiB fill a first-level cache
    LANES = 4
};

typedef int32_t vector __attribute__((vector_size(16), may_alias));

static uint64_t course_scratch_bytes(uint32_t vertices) {
    return round_up(vertices, TILE) * round_up(vertices, TILE) * sizeof(int32_t);
}

// Updates the tile in row y and column x with the paths through the pivots of round r.
TARGET static void update_tile(int32_t *w, size_t pitch, size_t r, size_t y, size_t x) {
    for (size_t k = r * TILE; k < (r + 1) * TILE; k++) {
        const vector *pivot = (const void *)(w + k * pitch + x * TILE);
        for (size_t i = y * TILE; i < (y + 1) * TILE; i++) {
            vector *row = (void *)(w + i * pitch + x * TILE);
            const vector first = (vector){0} + w[i * pitch + k];
            for (size_t j = 0; j < TILE / LANES; j++) {
                row[j] = MIN(row[j], first + pivot[j]);
            }
        }
    }
}

static void solve_round(int32_t *w, size_t pitch, size_t r) {
    const size_t tiles = pitch / TILE;
    update_tile(w, pitch, r, r, r);
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < 2 * tiles; i++) {
            const size_t tile = i / 2;
            if (tile != r) {
                update_tile(w, pitch, r, i % 2 ? tile : r, i % 2 ? r : tile);
            }
        }
#pragma omp for schedule(dynamic) collapse(2)
        for (size_t y = 0; y < tiles; y++) {
            for (size_t x = 0; x < tiles; x++) {
                if (y != r && x != r) {
                    update_tile(w, pitch, r, y, x);
                }
            }
        }
    }
}

static uint32_t solve_course(const struct apsp_cpu_problem *p) {
    const size_t vertices = p->vertices, pitch = round_up(vertices, TILE);
    int32_t *w = p->scratch;
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < pitch; row++) {
        for (size_t i = 0; i < pitch; i++) {
            w[row * pitch + i] = row < vertices && i < vertices ? p->input[row * vertices + i] : UNREACHABLE;
        }
    }
    for (size_t r = 0; r < pitch / TILE; r++) {
        solve_round(w, pitch, r);
        apsp_round_done(p->progress);
    }
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < vertices; row++) {
        memcpy(p->output + row * vertices, w + row * pitch, vertices * sizeof *p->output);
    }
    return sizeof *p->output;
}

const struct apsp_cpu_method apsp_cpu_course = {
    .solve = solve_course,
    .scratch_bytes = course_scratch_bytes,
    .pivots_per_round = TILE,
};

// ---- The other methods ----

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
    .pivots_per_round = 1,
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
    .pivots_per_round = SOLVER_BLOCK,
};
