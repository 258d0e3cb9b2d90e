#include "reduce/reduce_cpu.h"

#include "device/cpu/host.h"
#include "device/cpu/slice.h"
#include "reduce/reduce_cpu_vector.h"
#include "util/loops.h"

static const struct reduce_vectors *vectors(void) {
#define ROW(vectors, isa) [vectors] = &reduce_vectors_##isa,
    static const struct reduce_vectors *const table[] = {CPU_VECTORS_BUILT(ROW)};
    return table[cpu_vectors()];
}

uint32_t reduce_cpu_vector_bytes(void) {
    return vectors()->bytes;
}

// ---- One number after another ----

// Returns value. The compiler knows only that it is in a register, so that it builds no vector of such values.
#if defined __x86_64__
#define FLOAT_REGISTER "+x"
#elif defined __aarch64__
#define FLOAT_REGISTER "+w"
#else
#define FLOAT_REGISTER "+g"
#endif
#define DEFINE_SCALAR_VALUE(number, constraint)                                                                        \
    ALWAYS_INLINE number scalar_##number(number value) {                                                               \
        __asm__("" : constraint(value));                                                                               \
        return value;                                                                                                  \
    }
DEFINE_SCALAR_VALUE(uint32_t, "+r")
DEFINE_SCALAR_VALUE(uint64_t, "+r")
DEFINE_SCALAR_VALUE(float, FLOAT_REGISTER)
DEFINE_SCALAR_VALUE(double, FLOAT_REGISTER)

// The sums are independent, because an addition takes longer than a load from a cache. (The result is not stored by
// memcpy, for which gcc would keep a floating-point sum in an integer register.)
#define DEFINE_SCALAR(number, name, accumulators)                                                                      \
    static void sum_##name##_##accumulators(const void *in, uint64_t elements, void *result) {                         \
        const number *from = in;                                                                                       \
        number sum[accumulators] = {0};                                                                                \
        uint64_t i = 0;                                                                                                \
        for (; elements - i >= (accumulators); i += (accumulators)) {                                                  \
            UNROLL(8)                                                                                                  \
            for (uint32_t k = 0; k < (accumulators); k++) {                                                            \
                sum[k] = scalar_##number(sum[k] + from[i + k]);                                                        \
            }                                                                                                          \
        }                                                                                                              \
        for (; i < elements; i++) {                                                                                    \
            sum[0] = scalar_##number(sum[0] + from[i]);                                                                \
        }                                                                                                              \
        for (uint32_t k = 1; k < (accumulators); k++) {                                                                \
            sum[0] += sum[k];                                                                                          \
        }                                                                                                              \
        *(number *)result = sum[0];                                                                                    \
    }
#define DEFINE_SCALARS(id, number, name)                                                                               \
    DEFINE_SCALAR(number, name, 1)                                                                                     \
    DEFINE_SCALAR(number, name, 2)                                                                                     \
    DEFINE_SCALAR(number, name, 4)                                                                                     \
    DEFINE_SCALAR(number, name, 8)
REDUCE_TYPE_LIST(DEFINE_SCALARS)

// By type and number of accumulators.
#define SCALAR_ROW(id, number, name)                                                                                   \
    [id] = {[1] = sum_##name##_1, [2] = sum_##name##_2, [4] = sum_##name##_4, [8] = sum_##name##_8},
static reduce_sum *const scalar_sums[REDUCE_TYPES][9] = {REDUCE_TYPE_LIST(SCALAR_ROW)};

// ---- Launches ----

struct job {
    const uint8_t *in;
    uint8_t *sums;
    uint64_t elements;
    uint32_t slices;
};

static struct job job_of(const struct native_call *call) {
    return (struct job){
        .in = native_pointer(call, 0),
        .sums = native_pointer(call, 1),
        .elements = native_u64(call, 2),
        .slices = call->launch->grid.x,
    };
}

static enum reduce_type type_of(const struct native_call *call) {
    const bool wide = native_constant(call, "BITS") == 64;
    if (native_constant(call, "FLOATING")) {
        return wide ? REDUCE_FLOAT64 : REDUCE_FLOAT32;
    }
    return wide ? REDUCE_INT64 : REDUCE_INT32;
}

void reduce_sum_scalars(const struct native_call *call) {
    const struct job job = job_of(call);
    const int64_t accumulators = native_constant(call, "UNROLL");
    scalar_sums[type_of(call)][accumulators](job.in, job.elements, job.sums);
}

void reduce_sum_vectors(const struct native_call *call) {
    const struct job job = job_of(call);
    vectors()->sum[type_of(call)](job.in, job.elements, job.sums);
}

// Each thread sums a slice; then one sums the threads' sums.
void reduce_sum_threads(const struct native_call *call) {
    const struct job job = job_of(call);
    const enum reduce_type type = type_of(call);
    reduce_sum *const sum = vectors()->sum[type];
    const size_t bytes = reduce_type_bytes(type);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < job.slices; index++) {
        const struct slice slice = cpu_slice(job.elements, index, job.slices);
        sum(job.in + slice.first * bytes, slice.count, job.sums + (index + 1) * bytes);
    }
    sum(job.sums + bytes, job.slices, job.sums);
}

void reduce_read_limit(const struct native_call *call) {
    const struct job job = job_of(call);
    reduce_sum *const read = vectors()->read;
    const uint64_t words = job.elements * reduce_type_bytes(type_of(call)) / sizeof(uint32_t);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < job.slices; index++) {
        const struct slice slice = cpu_slice(words, index, job.slices);
        read(job.in + slice.first * sizeof(uint32_t), slice.count, job.sums + (index + 1) * sizeof(uint32_t));
    }
    read(job.sums + sizeof(uint32_t), job.slices, job.sums);
}
