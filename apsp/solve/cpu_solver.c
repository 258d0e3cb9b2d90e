#include "apsp/solve/cpu_solver.h"

#include <stdbool.h>
#include <string.h>

#include "apsp/graph/graph.h"

#if defined __x86_64__
#include <immintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

enum {
    LINE_BYTES = 64,
    BLOCK = SOLVER_BLOCK,
    INNER_BLOCK = 48, // pivots a round within a block
    PART_TILES = 16,
    PART_PANELS = 16, // a panel of the right factor is 240 rows of 2 vectors: 16 fill half a second cache
};

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

struct range {
    size_t begin, end;
};

static bool contains(struct range range, size_t index) {
    return index >= range.begin && index < range.end;
}

// Hands out a piece of memory after another, or counts what would be needed.
struct carver {
    char *memory; // NULL: count only
    size_t bytes;
};

static void *carve(struct carver *carver, size_t bytes) {
    void *piece = carver->memory ? carver->memory + carver->bytes : NULL;
    carver->bytes += (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return piece;
}

#if defined __x86_64__

#define VECTOR(name) name##_avx512_32
#define VECTOR_BYTES 64
#define VECTOR_TARGET __attribute__((target("avx512f,avx512bw")))
#define VECTOR_ROWS 12
#define VECTOR_MIN(a, b) (vector_avx512_32) _mm512_min_epi32((__m512i)(a), (__m512i)(b))
#define VECTOR_OPAQUE(v) __asm__ volatile("" : "+v"(v))
#define ELEMENT int32_t
#define FAR UNREACHABLE
#include "apsp/solve/cpu_vector.h"

#define VECTOR(name) name##_avx512_16
#define VECTOR_BYTES 64
#define VECTOR_TARGET __attribute__((target("avx512f,avx512bw")))
#define VECTOR_ROWS 12
#define VECTOR_MIN(a, b) (vector_avx512_16) _mm512_min_epu16((__m512i)(a), (__m512i)(b))
#define VECTOR_OPAQUE(v) __asm__ volatile("" : "+v"(v))
#define ELEMENT uint16_t
#define FAR FAR16
#include "apsp/solve/cpu_vector.h"

#define VECTOR(name) name##_avx2_32
#define VECTOR_BYTES 32
#define VECTOR_TARGET __attribute__((target("avx2")))
#define VECTOR_ROWS 6
#define VECTOR_MIN(a, b) (vector_avx2_32) _mm256_min_epi32((__m256i)(a), (__m256i)(b))
#define VECTOR_OPAQUE(v) __asm__ volatile("" : "+x"(v))
#define ELEMENT int32_t
#define FAR UNREACHABLE
#include "apsp/solve/cpu_vector.h"

#define VECTOR(name) name##_avx2_16
#define VECTOR_BYTES 32
#define VECTOR_TARGET __attribute__((target("avx2")))
#define VECTOR_ROWS 6
#define VECTOR_MIN(a, b) (vector_avx2_16) _mm256_min_epu16((__m256i)(a), (__m256i)(b))
#define VECTOR_OPAQUE(v) __asm__ volatile("" : "+x"(v))
#define ELEMENT uint16_t
#define FAR FAR16
#include "apsp/solve/cpu_vector.h"

#elif defined __aarch64__

#define VECTOR(name) name##_neon_32
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_ROWS 12
#define VECTOR_MIN(a, b) (vector_neon_32) vminq_s32((int32x4_t)(a), (int32x4_t)(b))
#define VECTOR_OPAQUE(v) __asm__ volatile("" : "+w"(v))
#define ELEMENT int32_t
#define FAR UNREACHABLE
#include "apsp/solve/cpu_vector.h"

#define VECTOR(name) name##_neon_16
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_ROWS 12
#define VECTOR_MIN(a, b) (vector_neon_16) vminq_u16((uint16x8_t)(a), (uint16x8_t)(b))
#define VECTOR_OPAQUE(v) __asm__ volatile("" : "+w"(v))
#define ELEMENT uint16_t
#define FAR FAR16
#include "apsp/solve/cpu_vector.h"

#endif

// In the compiler's own vectors: for any processor, and for x86-64 without AVX2.
#define SELECT(mask, a, b) (((a) & (mask)) | ((b) & ~(mask)))

#define VECTOR(name) name##_portable_32
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_ROWS 4
#define VECTOR_MIN(a, b) min_portable_32(a, b)
#define VECTOR_OPAQUE(v) __asm__ volatile("" : "+m"(v))
#define ELEMENT int32_t
#define FAR UNREACHABLE
typedef int32_t words_of_32 __attribute__((vector_size(16)));
static inline words_of_32 min_portable_32(words_of_32 a, words_of_32 b) {
    return SELECT(a < b, a, b);
}
#include "apsp/solve/cpu_vector.h"

#define VECTOR(name) name##_portable_16
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define VECTOR_ROWS 4
#define VECTOR_MIN(a, b) min_portable_16(a, b)
#define VECTOR_OPAQUE(v) __asm__ volatile("" : "+m"(v))
#define ELEMENT uint16_t
#define FAR FAR16
typedef uint16_t words_of_16 __attribute__((vector_size(16)));
static inline words_of_16 min_portable_16(words_of_16 a, words_of_16 b) {
    const words_of_16 mask = (words_of_16)(a < b);
    return SELECT(mask, a, b);
}
#include "apsp/solve/cpu_vector.h"

#if defined __x86_64__
static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2");
}
#endif

static bool always(void) {
    return true;
}

static const struct {
    bool (*runs_here)(void);
    struct solver_pair pair;
} table[] = {
#if defined __x86_64__
    {has_avx512, {"avx512", &solver_avx512_32, &solver_avx512_16}},
    {has_avx2, {"avx2", &solver_avx2_32, &solver_avx2_16}},
#elif defined __aarch64__
    {always, {"neon", &solver_neon_32, &solver_neon_16}},
#endif
    {always, {"portable", &solver_portable_32, &solver_portable_16}},
};

const struct solver_pair *solver_pair(size_t index) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].runs_here() && index-- == 0) {
            return &table[i].pair;
        }
    }
    return NULL;
}

const struct solver *solver_of(size_t width_bytes) {
    const struct solver_pair *best = solver_pair(0);
    return width_bytes == sizeof(uint16_t) ? best->of_16 : best->of_32;
}
