// Compiled once for each instruction set (Makefile), with ISA as its name and VECTOR_BYTES as a vector's size.
#include "reduce/reduce_cpu_vector.h"

#include <string.h>

#define JOIN(name, isa) name##_##isa
#define WITH_ISA(name, isa) JOIN(name, isa)

// Four independent accumulators. combine is += or ^=.
#define ACCUMULATE(number, combine, from, elements, result)                                                            \
    do {                                                                                                               \
        typedef number vector __attribute__((vector_size(VECTOR_BYTES)));                                              \
        typedef vector anywhere __attribute__((aligned(1), may_alias));                                                \
        enum {                                                                                                         \
            LANES = VECTOR_BYTES / sizeof(number)                                                                      \
        };                                                                                                             \
        vector a = {0}, b = {0}, c = {0}, d = {0};                                                                     \
        uint64_t done = 0;                                                                                             \
        for (; (elements)-done >= 4 * LANES; done += 4 * LANES) {                                                      \
            const anywhere *vectors = (const void *)((from) + done);                                                   \
            a combine vectors[0];                                                                                      \
            b combine vectors[1];                                                                                      \
            c combine vectors[2];                                                                                      \
            d combine vectors[3];                                                                                      \
        }                                                                                                              \
        a combine b;                                                                                                   \
        c combine d;                                                                                                   \
        a combine c;                                                                                                   \
        for (; done < (elements); done++) {                                                                            \
            (result) combine(from)[done];                                                                              \
        }                                                                                                              \
        for (uint32_t lane = 0; lane < LANES; lane++) {                                                                \
            (result) combine a[lane];                                                                                  \
        }                                                                                                              \
    } while (0)

#define DEFINE_SUM(id, number, name)                                                                                   \
    static void sum_##name(const void *in, uint64_t elements, void *result) {                                          \
        const number *from = in;                                                                                       \
        number sum = 0;                                                                                                \
        ACCUMULATE(number, +=, from, elements, sum);                                                                   \
        memcpy(result, &sum, sizeof sum);                                                                              \
    }
REDUCE_TYPE_LIST(DEFINE_SUM)

static void read_words(const void *in, uint64_t words, void *result) {
    const uint32_t *from = in;
    uint32_t checksum = 0;
    ACCUMULATE(uint32_t, ^=, from, words, checksum);
    memcpy(result, &checksum, sizeof checksum);
}

#define SUM_ROW(id, number, name) [id] = sum_##name,
const struct reduce_vectors WITH_ISA(reduce_vectors, ISA) = {{REDUCE_TYPE_LIST(SUM_ROW)}, read_words, VECTOR_BYTES};
