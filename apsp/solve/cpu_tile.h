// The register tile of the packed min-plus multiply. The Makefile compiles the source that includes this once for each
// instruction set, which VECTOR_BYTES selects on x86-64, and for each ELEMENT_BITS, the width of a distance.
#ifndef APSP_SOLVE_CPU_TILE_H
#define APSP_SOLVE_CPU_TILE_H

#include <stddef.h>
#include <stdint.h>

#include "apsp/graph/graph.h"
#include "apsp/solve/cpu_vector.h"
#include "util/loops.h"

// FAR stands for UNREACHABLE; twice FAR still fits an element.
#if ELEMENT_BITS == 32
typedef int32_t element;
#define FAR UNREACHABLE
#else
typedef uint16_t element;
#define FAR FAR16
#endif

// TILE_ROWS divides SOLVER_BLOCK.
#if defined __x86_64__ && VECTOR_BYTES == 64
#include <immintrin.h>
enum {
    REGISTER_BYTES = 64,
    TILE_ROWS = 12
};
#define REGISTER "+v"
#define MIN_OF_32(a, b) _mm512_min_epi32((__m512i)(a), (__m512i)(b))
#define MIN_OF_16(a, b) _mm512_min_epu16((__m512i)(a), (__m512i)(b))
#elif defined __x86_64__ && VECTOR_BYTES == 32
#include <immintrin.h>
enum {
    REGISTER_BYTES = 32,
    TILE_ROWS = 6
};
#define REGISTER "+x"
#define MIN_OF_32(a, b) _mm256_min_epi32((__m256i)(a), (__m256i)(b))
#define MIN_OF_16(a, b) _mm256_min_epu16((__m256i)(a), (__m256i)(b))
#elif defined __aarch64__
#include <arm_neon.h>
enum {
    REGISTER_BYTES = 16,
    TILE_ROWS = 12
};
#define REGISTER "+w"
#define MIN_OF_32(a, b) vminq_s32((int32x4_t)(a), (int32x4_t)(b))
#define MIN_OF_16(a, b) vminq_u16((uint16x8_t)(a), (uint16x8_t)(b))
#else
enum {
    REGISTER_BYTES = 16,
    TILE_ROWS = 4
};
#define REGISTER "+m"
#endif

typedef element vector __attribute__((vector_size(REGISTER_BYTES)));
typedef vector vector_in_memory __attribute__((aligned(4), may_alias));
typedef uint32_t word_vector __attribute__((vector_size(REGISTER_BYTES)));

enum {
    TILE_COLUMNS = 2 * REGISTER_BYTES / sizeof(element),
    CACHE_LINE_BYTES = 64,
    // The pivots of a tile in parts. Each part but the last ones also prefetches a row of the next tile.
    TILE_PARTS = TILE_ROWS * 4 / 3
};

ALWAYS_INLINE vector vector_of(element value) {
    return (vector){0} + value;
}

// On instruction sets without such a minimum the compiler builds one.
ALWAYS_INLINE vector vector_min(vector a, vector b) {
#ifdef MIN_OF_32
    return ELEMENT_BITS == 32 ? (vector)MIN_OF_32(a, b) : (vector)MIN_OF_16(a, b);
#else
    const vector less = (vector)(a < b);
    return (a & less) | (b & ~less);
#endif
}

// Hides a vector's value from the compiler.
ALWAYS_INLINE void vector_hide(vector *v) {
    __asm__ volatile("" : REGISTER(*v));
}

// A packed left factor: words that repeat an element, so that one load fills a vector with it.
struct left_factor {
    const uint32_t *words;
    size_t row_pitch, pivot_pitch;
};

// Data to prefetch meanwhile: a tile of the same pitch, and a line of each of TILE_ROWS pieces of a left factor.
struct next_tile {
    const element *tile;
    const uint32_t *left;
    size_t left_pitch;
};

// Prefetches row by row, because a core drops most requests of a burst.
ALWAYS_INLINE void prefetch_row(struct next_tile next, size_t pitch, size_t row) {
    const char *line = (const char *)(next.tile + row * pitch);
    for (size_t byte = 0; byte < 2 * REGISTER_BYTES; byte += CACHE_LINE_BYTES) {
        __builtin_prefetch(line + byte);
    }
    __builtin_prefetch(next.left + row * next.left_pitch);
}

// tile = min(tile, left (x) right) over `depth` pivots, in registers. A row of right has TILE_COLUMNS elements. The
// tile may be a part of right: it is read first and written last.
ALWAYS_INLINE void multiply_tile(element *tile, size_t pitch, struct left_factor left, const element *right,
                                 size_t depth, struct next_tile next) {
    vector sum[TILE_ROWS][2];
    UNROLL(16)
    for (size_t row = 0; row < TILE_ROWS; row++) {
        const vector_in_memory *from = (const void *)(tile + row * pitch);
        sum[row][0] = from[0];
        sum[row][1] = from[1];
    }
    for (size_t part = 0, k = 0; part < TILE_PARTS; part++) {
        if (part < TILE_ROWS) {
            prefetch_row(next, pitch, part);
        }
        for (const size_t end = depth * (part + 1) / TILE_PARTS; k < end; k++) {
            const vector_in_memory *from = (const void *)(right + k * TILE_COLUMNS);
            const vector first = from[0], second = from[1];
            UNROLL(16)
            for (size_t row = 0; row < TILE_ROWS; row++) {
                const uint32_t word = left.words[row * left.row_pitch + k * left.pivot_pitch];
                const vector one = (vector)((word_vector){0} + word);
                sum[row][0] = vector_min(sum[row][0], one + first);
                sum[row][1] = vector_min(sum[row][1], one + second);
            }
        }
    }
    UNROLL(16)
    for (size_t row = 0; row < TILE_ROWS; row++) {
        vector_in_memory *to = (void *)(tile + row * pitch);
        to[0] = sum[row][0];
        to[1] = sum[row][1];
    }
}

// An element as a word of a left factor.
ALWAYS_INLINE uint32_t left_word(element value) {
    return ELEMENT_BITS == 32 ? (uint32_t)value : (uint32_t)value << 16 | (uint32_t)value;
}

// Runs only independent add-min instructions: `rounds` of a whole register tile. Returns the number of updates.
static double add_min_alone(uint64_t rounds) {
    vector sum[TILE_ROWS][2], one = vector_of(3), other = vector_of(5);
    UNROLL(16)
    for (size_t row = 0; row < TILE_ROWS; row++) {
        sum[row][0] = sum[row][1] = vector_of((element)(1003 + row));
        vector_hide(&sum[row][0]);
        vector_hide(&sum[row][1]);
    }
    for (uint64_t round = 0; round < rounds; round++) {
        UNROLL(16)
        for (size_t row = 0; row < TILE_ROWS; row++) {
            vector_hide(&one);
            sum[row][0] = vector_min(sum[row][0], one + other);
            vector_hide(&one);
            sum[row][1] = vector_min(sum[row][1], one + other);
        }
    }
    UNROLL(16)
    for (size_t row = 0; row < TILE_ROWS; row++) {
        vector_hide(&sum[row][0]);
        vector_hide(&sum[row][1]);
    }
    return (double)rounds * (double)TILE_ROWS * (double)TILE_COLUMNS;
}

#endif
