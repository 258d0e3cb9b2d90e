#include "gmem/gmem_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "device/cpu/host.h"
#include "device/cpu/slice.h"
#include "util/random.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum {
    LINE_BYTES = 64,
    PAIR_BYTES = 2 * LINE_BYTES, // what prefetchers often fetch together
    PAGE_BYTES = 4096            // prefetchers do not cross it
};

#define INLINE static inline __attribute__((always_inline))

#ifdef __clang__
#define UNROLL _Pragma("unroll 8")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

// Calls function(..., width) with the width as a constant, so that one text makes a loop of its own for each width.
#define WITH_WIDTH(width, function, ...)                                                                               \
    switch (width) {                                                                                                   \
    case 1:                                                                                                            \
        function(__VA_ARGS__, 1);                                                                                      \
        break;                                                                                                         \
    case 2:                                                                                                            \
        function(__VA_ARGS__, 2);                                                                                      \
        break;                                                                                                         \
    case 4:                                                                                                            \
        function(__VA_ARGS__, 4);                                                                                      \
        break;                                                                                                         \
    case 8:                                                                                                            \
        function(__VA_ARGS__, 8);                                                                                      \
        break;                                                                                                         \
    default:                                                                                                           \
        function(__VA_ARGS__, 16);                                                                                     \
    }

// Bytes up to the next line, at most the bytes there are.
static uint64_t bytes_to_line(const uint8_t *address, uint64_t bytes) {
    const uint64_t rest = -(uintptr_t)address % LINE_BYTES;
    return rest < bytes ? rest : bytes;
}

// ---- Elements apart: step is the distance of two elements in bytes ----

// Does DO(offset) for element after element, four with addresses that do not wait for one another.
#define FOR_ELEMENTS(elements, step, DO)                                                                               \
    do {                                                                                                               \
        uint64_t offset = 0, left = (elements);                                                                        \
        for (; left >= 4; left -= 4, offset += 4 * (step)) {                                                           \
            DO(offset);                                                                                                \
            DO(offset + (step));                                                                                       \
            DO(offset + 2 * (step));                                                                                   \
            DO(offset + 3 * (step));                                                                                   \
        }                                                                                                              \
        for (; left > 0; left--, offset += (step)) {                                                                   \
            DO(offset);                                                                                                \
        }                                                                                                              \
    } while (0)

INLINE void strided_copy(uint8_t *to, const uint8_t *from, uint64_t elements, uint64_t step, uint32_t width) {
#define COPY_ELEMENT(offset) memcpy(to + (offset), from + (offset), width)
    FOR_ELEMENTS(elements, step, COPY_ELEMENT);
}

// An element as a number; the two halves of a 16-byte one xor-ed.
INLINE uint64_t load_element(const uint8_t *from, uint32_t width) {
    uint16_t narrow;
    uint32_t word;
    uint64_t halves[2] = {0};
    switch (width) { // a load each: a copy into a wider variable would be read back before it is written
    case 1:
        return *from;
    case 2:
        memcpy(&narrow, from, width);
        return narrow;
    case 4:
        memcpy(&word, from, width);
        return word;
    default:
        memcpy(halves, from, width);
        return halves[0] ^ halves[1];
    }
}

INLINE void strided_read(uint32_t *checksum, const uint8_t *from, uint64_t elements, uint64_t step, uint32_t width) {
    uint64_t sum = 0;
#define ADD_ELEMENT(offset) sum ^= load_element(from + (offset), width)
    FOR_ELEMENTS(elements, step, ADD_ELEMENT);
    *checksum = (uint32_t)(sum ^ sum >> 32);
}

INLINE void write_element(uint8_t *to, uint64_t position, uint32_t width) {
    const uint64_t low = pattern64(position);
    const uint64_t element[2] = {low, ~low};
    memcpy(to, element, width);
}

INLINE void strided_write(uint8_t *to, uint64_t elements, uint64_t step, uint64_t position, uint32_t width) {
#define WRITE_ELEMENT(offset) write_element(to + (offset), position++, width)
    FOR_ELEMENTS(elements, step, WRITE_ELEMENT);
}

// ---- Elements side by side ----

// Into the second cache.
#define FETCH(address) __builtin_prefetch(address, 0, 2)

// The ways past the caches, X(name, text, pages side by side, bytes fetched ahead, streaming stores). Which is the
// fastest depends on how many lines a core can have under way, and on what its prefetchers recognize.
#define COPIES_BY_VECTORS(X)                                                                                           \
    X(stream, "streaming stores", 1, 0, true)                                                                          \
    X(stream_ahead, "streaming stores, loads fetched 8 KiB ahead", 1, 8192, true)                                      \
    X(stream_2, "streaming stores, 2 pages side by side", 2, 0, true)                                                  \
    X(stream_4, "streaming stores, 4 pages side by side", 4, 0, true)                                                  \
    X(stream_8, "streaming stores, 8 pages side by side", 8, 0, true)                                                  \
    X(plain, "plain stores", 1, 0, false)
// X(name, text, pages side by side, bytes fetched ahead)
#define READS(X)                                                                                                       \
    X(in_order, "loads in order", 1, 0)                                                                                \
    X(ahead, "loads fetched 8 KiB ahead", 1, 8192)                                                                     \
    X(pages_2, "2 pages side by side", 2, 0)                                                                           \
    X(pages_8, "8 pages side by side", 8, 0)
#define COUNT(...) +1

typedef void copy_function(uint8_t *to, const uint8_t *from, uint64_t bytes);

struct contiguous {
    copy_function *copies[0 COPIES_BY_VECTORS(COUNT)];
    // The xor of the 32-bit words, the last filled up with zeros.
    uint32_t (*reads[0 READS(COUNT)])(const uint8_t *from, uint64_t bytes);
    // Element i becomes pattern64(position + i), cut to width. Whole lines only: both ends are lines' begins.
    void (*write)(uint8_t *to, uint64_t elements, uint64_t position, bool stream, uint32_t width);
};

#if defined __x86_64__

#define VECTOR(name) name##_avx512
#define VECTOR_BYTES 64
#define VECTOR_TARGET __attribute__((target("avx512f")))
#define STREAM(to, vector) _mm512_stream_si512((void *)(to), (__m512i)(vector))
#define STREAM_END _mm_sfence()
#include "gmem/gmem_cpu_vector.h"

#define VECTOR(name) name##_avx2
#define VECTOR_BYTES 32
#define VECTOR_TARGET __attribute__((target("avx2")))
#define STREAM(to, vector) _mm256_stream_si256((void *)(to), (__m256i)(vector))
#define STREAM_END _mm_sfence()
#include "gmem/gmem_cpu_vector.h"

#define VECTOR(name) name##_sse2
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define STREAM(to, vector) _mm_stream_si128((void *)(to), (__m128i)(vector))
#define STREAM_END _mm_sfence()
#include "gmem/gmem_cpu_vector.h"

#elif defined __aarch64__

typedef uint32_t neon_words __attribute__((vector_size(16), may_alias));

#define VECTOR(name) name##_neon
#define VECTOR_BYTES 32 // the streaming store takes two registers
#define VECTOR_TARGET
#define STREAM(to, vector)                                                                                             \
    __asm__ volatile("stnp %q1, %q2, [%0]"                                                                             \
                     :                                                                                                 \
                     : "r"(to), "w"(*(neon_words *)&(vector)), "w"(((neon_words *)&(vector))[1])                       \
                     : "memory")
#define STREAM_END __asm__ volatile("dmb ishst" : : : "memory")
#include "gmem/gmem_cpu_vector.h"

#else

#define VECTOR(name) name##_portable
#define VECTOR_BYTES 16
#define VECTOR_TARGET
#define STREAM(to, vector) *(words_portable *)(to) = (vector)
#define STREAM_END
#include "gmem/gmem_cpu_vector.h"

#endif

static const struct contiguous *contiguous(void) {
#define ROW(vectors, suffix) [vectors] = &contiguous_##suffix,
    static const struct contiguous *const table[] = {CPU_VECTORS_BUILT(ROW)};
    return table[cpu_vectors()];
}

static void copy_library(uint8_t *to, const uint8_t *from, uint64_t bytes) {
    memcpy(to, from, bytes);
}

#ifdef __x86_64__
static void copy_repeat(uint8_t *to, const uint8_t *from, uint64_t bytes) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
#define COPY_REPEAT {"rep movsb", copy_repeat},
#else
#define COPY_REPEAT
#endif

// ---- Methods ----

// Those that need no vectors have a function here.
#define TEXT(name, text, ...) {text, NULL},
static const struct copy_method {
    const char *name;
    copy_function *copy;
} copy_methods[] = {COPIES_BY_VECTORS(TEXT){"memcpy", copy_library}, COPY_REPEAT};

#define NAME(name, text, ...) text,
static const char *const read_methods[] = {READS(NAME)};
static const char *const write_methods[] = {"streaming stores", "plain stores"};

static size_t chosen_methods[GMEM_CPU_OPERATIONS];

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))

size_t gmem_cpu_methods(enum gmem_operation operation) {
    static const size_t counts[] = {[GMEM_COPY] = LENGTH_OF(copy_methods),
                                    [GMEM_READ] = LENGTH_OF(read_methods),
                                    [GMEM_WRITE] = LENGTH_OF(write_methods)};
    return counts[operation];
}

const char *gmem_cpu_method_name(enum gmem_operation operation, size_t method) {
    return operation == GMEM_COPY   ? copy_methods[method].name
           : operation == GMEM_READ ? read_methods[method]
                                    : write_methods[method];
}

void gmem_cpu_choose(enum gmem_operation operation, size_t method) {
    chosen_methods[operation] = method;
}

static void copy_past_caches(uint8_t *to, const uint8_t *from, uint64_t bytes) {
    const size_t method = chosen_methods[GMEM_COPY];
    copy_function *const copy = copy_methods[method].copy;
    (copy ? copy : contiguous()->copies[method])(to, from, bytes);
}

// Data that the caches hold are better left there.
static bool exceeds_cache(uint64_t bytes) {
    enum {
        USUAL_CACHE_BYTES = 32 << 20
    };
    const uint64_t cache = cpu_last_level_cache_bytes();
    return bytes > (cache ? cache : USUAL_CACHE_BYTES);
}

// ---- One slice of a launch ----

static void copy_slice(uint8_t *to, const uint8_t *from, uint64_t elements, uint64_t step, uint32_t width,
                       bool stream) {
    if (step != width) {
        WITH_WIDTH(width, strided_copy, to, from, elements, step);
    } else if (stream) {
        copy_past_caches(to, from, elements * width);
    } else {
        memcpy(to, from, elements * width);
    }
}

// The xor of 32-bit words as the xor of narrower elements, each taken as a number.
static uint32_t fold_words(uint32_t words, uint32_t width) {
    for (uint32_t bits = 16; bits >= 8 * width; bits /= 2) {
        words = (words ^ words >> bits) & ((UINT32_C(1) << bits) - 1);
    }
    return words;
}

static uint32_t read_slice(const uint8_t *from, uint64_t elements, uint64_t step, uint32_t width) {
    uint32_t checksum = 0;
    if (step != width) {
        WITH_WIDTH(width, strided_read, &checksum, from, elements, step);
        return checksum;
    }
    return fold_words(contiguous()->reads[chosen_methods[GMEM_READ]](from, elements * width), width);
}

static void write_slice(uint8_t *to, uint64_t elements, uint64_t step, uint64_t position, uint32_t width, bool stream) {
    uint64_t head = elements, lines = 0; // elements before the first whole line, and in whole lines
    if (step == width && (uintptr_t)to % width == 0) {
        head = bytes_to_line(to, elements * width) / width;
        lines = (elements - head) * width / LINE_BYTES * LINE_BYTES / width;
        contiguous()->write(to + head * width, lines, position + head, stream, width);
    }
    const uint64_t tail = head + lines;
    WITH_WIDTH(width, strided_write, to, head, step, position);
    WITH_WIDTH(width, strided_write, to + tail * step, elements - tail, step, position + tail);
}

// ---- Launches ----

static uint32_t width_of(const struct kernel_constants *constants) {
    return (uint32_t)kernel_constant_value(constants, "WIDTH");
}

static uint8_t *pointer_argument(const struct launch *launch, size_t index) {
    return (uint8_t *)(uintptr_t)launch->arguments[index].value.pointer;
}

static uint64_t u64_argument(const struct launch *launch, size_t index) {
    return launch->arguments[index].value.u64;
}

static void stride_copy(const struct launch *launch, const struct kernel_constants *constants) {
    const uint32_t width = width_of(constants);
    const uint8_t *source = pointer_argument(launch, 0);
    uint8_t *destination = pointer_argument(launch, 1);
    const uint64_t elements = u64_argument(launch, 2), step = u64_argument(launch, 3) * width;
    const bool stream = exceeds_cache(2 * elements * width);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, launch->grid.x);
        const uint64_t offset = slice.first * step;
        copy_slice(destination + offset, source + offset, slice.count, step, width, stream);
    }
}

static void stride_read(const struct launch *launch, const struct kernel_constants *constants) {
    const uint32_t width = width_of(constants);
    const uint8_t *source = pointer_argument(launch, 0);
    uint32_t *sink = (uint32_t *)(uintptr_t)launch->arguments[1].value.pointer;
    const uint64_t elements = u64_argument(launch, 2), step = u64_argument(launch, 3) * width;
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, launch->grid.x);
        sink[index] = read_slice(source + slice.first * step, slice.count, step, width);
    }
}

static void stride_write(const struct launch *launch, const struct kernel_constants *constants) {
    const uint32_t width = width_of(constants);
    uint8_t *destination = pointer_argument(launch, 0);
    const uint64_t elements = u64_argument(launch, 1), step = u64_argument(launch, 2) * width;
    const uint64_t seed = u64_argument(launch, 3);
    const bool stream = chosen_methods[GMEM_WRITE] == 0 && exceeds_cache(elements * width);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, launch->grid.x);
        write_slice(destination + slice.first * step, slice.count, step, seed + slice.first, width, stream);
    }
}

native_kernel *gmem_native(const char *entry) {
    static const struct {
        const char *entry;
        native_kernel *kernel;
    } table[] = {{"stride_copy", stride_copy}, {"stride_read", stride_read}, {"stride_write", stride_write}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!strcmp(table[i].entry, entry)) {
            return table[i].kernel;
        }
    }
    return NULL;
}
