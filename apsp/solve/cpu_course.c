#include "apsp/solve/cpu_course.h"

#include <string.h>

#include "apsp/graph/graph.h"

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
    TILE = APSP_CPU_COURSE_TILE,
    LANES = 4
};

typedef int32_t vector __attribute__((vector_size(16), may_alias));

static size_t padded(size_t vertices) {
    return (vertices + TILE - 1) / TILE * TILE;
}

size_t apsp_cpu_course_bytes(size_t vertices) {
    return padded(vertices) * padded(vertices) * sizeof(int32_t);
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

void apsp_cpu_course_solve(const int32_t *input, int32_t *output, void *scratch, size_t vertices,
                           const struct apsp_progress *progress) {
    const size_t pitch = padded(vertices);
    int32_t *w = scratch;
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < pitch; row++) {
        for (size_t i = 0; i < pitch; i++) {
            w[row * pitch + i] = row < vertices && i < vertices ? input[row * vertices + i] : UNREACHABLE;
        }
    }
    for (size_t r = 0; r < pitch / TILE; r++) {
        solve_round(w, pitch, r);
        apsp_round_done(progress);
    }
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < vertices; row++) {
        memcpy(output + row * vertices, w + row * pitch, vertices * sizeof *output);
    }
}
