#include "reduce/reduce_cpu.h"

#include <math.h>
#include <string.h>

#include "device/cpu/host.h"
#include "device/cpu/slice.h"

#define INLINE static inline __attribute__((always_inline))

// ---- Vectors ----

struct contiguous {
    void (*sum[REDUCE_TYPES])(const void *in, uint64_t elements, void *result);
    void (*read)(const void *in, uint64_t words, void *result); // the xor of 32-bit words
    uint32_t vector_bytes;
};

#if defined __x86_64__

#define VECTOR(name) name##_avx512
#define VECTOR_BYTES 64
#define VECTOR_TARGET __attribute__((target("avx512f")))
#include "reduce/reduce_cpu_vector.h"

#define VECTOR(name) name##_avx2
#define VECTOR_BYTES 32
#define VECTOR_TARGET __attribute__((target("avx2")))
#include "reduce/reduce_cpu_vector.h"

#define VECTOR(name) name##_sse2
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#include "reduce/reduce_cpu_vector.h"

#elif defined __aarch64__

#define VECTOR(name) name##_neon
#define VECTOR_BYTES 32 // two registers: as many additions under way as with twice the accumulators
#define VECTOR_TARGET
#include "reduce/reduce_cpu_vector.h"

#else

#define VECTOR(name) name##_portable
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#include "reduce/reduce_cpu_vector.h"

#endif

static const struct contiguous *contiguous(void) {
#define ROW(vectors, suffix) [vectors] = &contiguous_##suffix,
    static const struct contiguous *const table[] = {CPU_VECTORS_BUILT(ROW)};
    return table[cpu_vectors()];
}

// ---- One number after another ----

// value, of which the compiler knows no more than that it is in a register: it puts it with no others into a vector.
#if defined __x86_64__
#define FLOAT_REGISTER "+x"
#elif defined __aarch64__
#define FLOAT_REGISTER "+w"
#else
#define FLOAT_REGISTER "+g"
#endif
#define DEFINE_SCALAR_VALUE(number, constraint)                                                                        \
    INLINE number scalar_##number(number value) {                                                                      \
        __asm__("" : constraint(value));                                                                               \
        return value;                                                                                                  \
    }
DEFINE_SCALAR_VALUE(uint32_t, "+r")
DEFINE_SCALAR_VALUE(uint64_t, "+r")
DEFINE_SCALAR_VALUE(float, FLOAT_REGISTER)
DEFINE_SCALAR_VALUE(double, FLOAT_REGISTER)

#ifdef __clang__
#define UNROLL _Pragma("unroll 8")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

// `accumulators` sums that do not wait for one another: an addition takes longer than a load that finds its data.
// (The result is no memcpy: for that gcc would keep a floating-point sum in an integer's register.)
#define DEFINE_SCALAR(number, name, accumulators)                                                                      \
    static void sum_##name##_##accumulators(const void *in, uint64_t elements, void *result) {                         \
        const number *from = in;                                                                                       \
        number sum[accumulators] = {0};                                                                                \
        uint64_t i = 0;                                                                                                \
        for (; elements - i >= (accumulators); i += (accumulators)) {                                                  \
            UNROLL                                                                                                     \
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

// ---- Launches ----

struct job {
    const uint8_t *in;
    uint8_t *sums;
    uint64_t elements;
    uint32_t slices;
};

static struct job job_of(const struct launch *launch) {
    return (struct job){
        .in = (const uint8_t *)(uintptr_t)launch->arguments[0].value.pointer,
        .sums = (uint8_t *)(uintptr_t)launch->arguments[1].value.pointer,
        .elements = launch->arguments[2].value.u64,
        .slices = launch->grid.x,
    };
}

// Each thread sums a slice; then one sums the threads' sums.
static void sum_threads(const struct launch *launch, enum reduce_type type) {
    const struct job job = job_of(launch);
    const struct contiguous *vectors = contiguous();
    const size_t bytes = reduce_type_bytes(type);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < job.slices; index++) {
        const struct slice slice = cpu_slice(job.elements, index, job.slices);
        vectors->sum[type](job.in + slice.first * bytes, slice.count, job.sums + (index + 1) * bytes);
    }
    vectors->sum[type](job.sums + bytes, job.slices, job.sums);
}

static void read_limit(const struct launch *launch, enum reduce_type type) {
    const struct job job = job_of(launch);
    const struct contiguous *vectors = contiguous();
    const uint64_t words = job.elements * reduce_type_bytes(type) / sizeof(uint32_t);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < job.slices; index++) {
        const struct slice slice = cpu_slice(words, index, job.slices);
        vectors->read(job.in + slice.first * sizeof(uint32_t), slice.count, job.sums + (index + 1) * sizeof(uint32_t));
    }
    vectors->read(job.sums + sizeof(uint32_t), job.slices, job.sums);
}

static void sum_simd(const struct launch *launch, enum reduce_type type) {
    const struct job job = job_of(launch);
    contiguous()->sum[type](job.in, job.elements, job.sums);
}

static void fill_numbers(const struct launch *launch, enum reduce_type type) {
    void *numbers = (void *)(uintptr_t)launch->arguments[0].value.pointer;
    reduce_fill(type, numbers, 0, launch->arguments[1].value.u64, launch->arguments[2].value.u64);
}

// A native kernel has no place for its type but its name.
#define DEFINE_NATIVES(id, number, name)                                                                               \
    static void native_threads_##name(const struct launch *launch) {                                                   \
        sum_threads(launch, id);                                                                                       \
    }                                                                                                                  \
    static void native_simd_##name(const struct launch *launch) {                                                      \
        sum_simd(launch, id);                                                                                          \
    }                                                                                                                  \
    static void native_read_limit_##name(const struct launch *launch) {                                                \
        read_limit(launch, id);                                                                                        \
    }                                                                                                                  \
    static void native_fill_numbers_##name(const struct launch *launch) {                                              \
        fill_numbers(launch, id);                                                                                      \
    }                                                                                                                  \
    DEFINE_NATIVE_SCALAR(name, 1)                                                                                      \
    DEFINE_NATIVE_SCALAR(name, 2)                                                                                      \
    DEFINE_NATIVE_SCALAR(name, 4)                                                                                      \
    DEFINE_NATIVE_SCALAR(name, 8)
#define DEFINE_NATIVE_SCALAR(name, accumulators)                                                                       \
    static void native_unroll##accumulators##_##name(const struct launch *launch) {                                    \
        const struct job job = job_of(launch);                                                                         \
        sum_##name##_##accumulators(job.in, job.elements, job.sums);                                                   \
    }
REDUCE_TYPE_LIST(DEFINE_NATIVES)

#define NATIVE(entry)                                                                                                  \
    { native_##entry##_int32, native_##entry##_int64, native_##entry##_float32, native_##entry##_float64 }

// accumulators: sums that run beside one another in a slice; 0: one for each lane of four vectors.
static const struct native {
    const char *entry;
    native_kernel *kernel[REDUCE_TYPES];
    uint32_t accumulators;
    bool threaded;
} natives[] = {
    {"serial", NATIVE(unroll1), 1, false},
    {"unroll2", NATIVE(unroll2), 2, false},
    {"unroll4", NATIVE(unroll4), 4, false},
    {"unroll8", NATIVE(unroll8), 8, false},
    {"simd", NATIVE(simd), 0, false},
    {"threads", NATIVE(threads), 0, true},
    {"read_limit", NATIVE(read_limit), 0, true},
    {"fill_numbers", NATIVE(fill_numbers), 0, true},
};

static const struct native *find(const char *entry) {
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++) {
        if (!strcmp(natives[i].entry, entry)) {
            return &natives[i];
        }
    }
    return NULL;
}

native_kernel *reduce_native(const char *entry, enum reduce_type type) {
    const struct native *native = find(entry);
    return native ? native->kernel[type] : NULL;
}

double reduce_native_depth(const char *entry, enum reduce_type type, uint64_t elements, uint32_t slices) {
    const struct native *native = find(entry);
    const uint32_t lanes = contiguous()->vector_bytes / (uint32_t)reduce_type_bytes(type);
    const uint32_t sums = native->accumulators ? native->accumulators : 4 * lanes;
    const double slice = native->threaded ? ceil((double)elements / slices) + 64 : (double)elements;
    const double joined = native->threaded ? slices : 0;
    return ceil(slice / sums) + 2.0 * sums + joined; // a rest of less than `sums` behind, and the sums themselves
}
