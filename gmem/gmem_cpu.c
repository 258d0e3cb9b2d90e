#include "gmem/gmem_cpu.h"

#include <string.h>

#include "device/cpu/slice.h"
#include "gmem/gmem_cpu_element.h"
#include "gmem/gmem_cpu_vector.h"
#include "util/loops.h"
#include "util/random.h"

// ---- Elements with gaps between them; step is their distance in bytes ----

// Does DO(offset) for each element. The addresses of four elements are computed independently.
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

ALWAYS_INLINE void strided_copy(uint8_t *to, const uint8_t *from, uint64_t elements, uint64_t step, uint32_t width) {
#define COPY_ELEMENT(offset) memcpy(to + (offset), from + (offset), width)
    FOR_ELEMENTS(elements, step, COPY_ELEMENT);
}

ALWAYS_INLINE void strided_read(uint32_t *checksum, const uint8_t *from, uint64_t elements, uint64_t step,
                                uint32_t width) {
    uint64_t sum = 0;
#define ADD_ELEMENT(offset) sum ^= load_element(from + (offset), width)
    FOR_ELEMENTS(elements, step, ADD_ELEMENT);
    *checksum = (uint32_t)(sum ^ sum >> 32);
}

ALWAYS_INLINE void strided_write(uint8_t *to, uint64_t elements, uint64_t step, uint64_t position, uint32_t width) {
#define WRITE_ELEMENT(offset) write_element(to + (offset), position++, width)
    FOR_ELEMENTS(elements, step, WRITE_ELEMENT);
}

// ---- Methods for contiguous elements ----

static const struct gmem_vectors *vectors(void) {
#define ROW(vectors, isa) [vectors] = &gmem_vectors_##isa,
    static const struct gmem_vectors *const table[] = {CPU_VECTORS_BUILT(ROW)};
    return table[cpu_vectors()];
}

static void copy_library(uint8_t *to, const uint8_t *from, uint64_t bytes) {
    memcpy(to, from, bytes);
}

#ifdef __x86_64__
static void copy_repeat(uint8_t *to, const uint8_t *from, uint64_t bytes) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
#endif

// The methods of a copy without vectors; they follow those with vectors.
static const struct {
    const char *name;
    gmem_copy_bytes *copy;
} other_copies[] = {
    {"memcpy", copy_library},
#ifdef __x86_64__
    {"rep movsb", copy_repeat},
#endif
};

enum {
    OTHER_COPIES = sizeof other_copies / sizeof *other_copies
};

size_t gmem_cpu_methods(enum gmem_operation operation) {
    static const size_t counts[] = {[GMEM_COPY] = GMEM_VECTOR_COPY_COUNT + OTHER_COPIES,
                                    [GMEM_READ] = GMEM_VECTOR_READ_COUNT,
                                    [GMEM_WRITE] = 2,
                                    [GMEM_TRIAD] = 2};
    return counts[operation];
}

const char *gmem_cpu_method_name(enum gmem_operation operation, size_t method) {
#define NAME(name, text, ...) text,
    static const char *const names[][GMEM_VECTOR_COPY_COUNT] = {
        [GMEM_COPY] = {GMEM_VECTOR_COPIES(NAME)},
        [GMEM_READ] = {GMEM_VECTOR_READS(NAME)},
        [GMEM_WRITE] = {"streaming stores", "plain stores"},
        [GMEM_TRIAD] = {"streaming stores", "plain stores"},
    };
    return method < GMEM_VECTOR_COPY_COUNT ? names[operation][method]
                                           : other_copies[method - GMEM_VECTOR_COPY_COUNT].name;
}

static gmem_copy_bytes *copy_method(size_t method) {
    return method < GMEM_VECTOR_COPY_COUNT ? vectors()->copies[method]
                                           : other_copies[method - GMEM_VECTOR_COPY_COUNT].copy;
}

// The constants that a kernel was built with.
struct build {
    uint32_t width;
    size_t method;
    uint64_t cache_bytes;
};

static struct build build_of(const struct kernel_constants *constants) {
    enum {
        USUAL_CACHE_BYTES = 32 << 20
    };
    const int64_t cache_bytes = kernel_constant_value(constants, "CACHE_BYTES");
    return (struct build){
        .width = (uint32_t)kernel_constant_value(constants, "WIDTH"),
        .method = (size_t)kernel_constant_value(constants, "METHOD"),
        .cache_bytes = cache_bytes ? (uint64_t)cache_bytes : USUAL_CACHE_BYTES,
    };
}

// ---- One slice of a launch ----

static void copy_slice(uint8_t *to, const uint8_t *from, uint64_t elements, uint64_t step, uint32_t width,
                       gmem_copy_bytes *copy) {
    if (step != width) {
        WITH_WIDTH(width, strided_copy, to, from, elements, step);
    } else {
        copy(to, from, elements * width);
    }
}

// Turns the xor of 32-bit words into the xor of narrower elements.
static uint32_t fold_words(uint32_t words, uint32_t width) {
    for (uint32_t bits = 16; bits >= 8 * width; bits /= 2) {
        words = (words ^ words >> bits) & ((UINT32_C(1) << bits) - 1);
    }
    return words;
}

static uint32_t read_slice(const uint8_t *from, uint64_t elements, uint64_t step, const struct build *build) {
    uint32_t checksum = 0;
    if (step != build->width) {
        WITH_WIDTH(build->width, strided_read, &checksum, from, elements, step);
        return checksum;
    }
    return fold_words(vectors()->reads[build->method](from, elements * build->width), build->width);
}

static void write_slice(uint8_t *to, uint64_t elements, uint64_t step, uint64_t position, uint32_t width, bool stream) {
    uint64_t head = elements, lines = 0; // elements before the first whole line, and in whole lines
    if (step == width && (uintptr_t)to % width == 0) {
        head = gmem_bytes_to_line(to, elements * width) / width;
        lines = (elements - head) * width / GMEM_LINE_BYTES * GMEM_LINE_BYTES / width;
        vectors()->write(to + head * width, lines, position + head, stream, width);
    }
    const uint64_t tail = head + lines;
    WITH_WIDTH(width, strided_write, to, head, step, position);
    WITH_WIDTH(width, strided_write, to + tail * step, elements - tail, step, position + tail);
}

// ---- Launches ----

static uint8_t *pointer_argument(const struct launch *launch, size_t index) {
    return (uint8_t *)(uintptr_t)launch->arguments[index].value.pointer;
}

static uint64_t u64_argument(const struct launch *launch, size_t index) {
    return launch->arguments[index].value.u64;
}

static void stride_copy(const struct launch *launch, const struct kernel_constants *constants) {
    const struct build build = build_of(constants);
    const uint32_t width = build.width;
    const uint8_t *source = pointer_argument(launch, 0);
    uint8_t *destination = pointer_argument(launch, 1);
    const uint64_t elements = u64_argument(launch, 2), step = u64_argument(launch, 3) * width;
    gmem_copy_bytes *const copy = 2 * elements * width > build.cache_bytes ? copy_method(build.method) : copy_library;
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, launch->grid.x);
        const uint64_t offset = slice.first * step;
        copy_slice(destination + offset, source + offset, slice.count, step, width, copy);
    }
}

static void stride_read(const struct launch *launch, const struct kernel_constants *constants) {
    const struct build build = build_of(constants);
    const uint8_t *source = pointer_argument(launch, 0);
    uint32_t *sink = (uint32_t *)(uintptr_t)launch->arguments[1].value.pointer;
    const uint64_t elements = u64_argument(launch, 2), step = u64_argument(launch, 3) * build.width;
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, launch->grid.x);
        sink[index] = read_slice(source + slice.first * step, slice.count, step, &build);
    }
}

static void stride_write(const struct launch *launch, const struct kernel_constants *constants) {
    const struct build build = build_of(constants);
    const uint32_t width = build.width;
    uint8_t *destination = pointer_argument(launch, 0);
    const uint64_t elements = u64_argument(launch, 1), step = u64_argument(launch, 2) * width;
    const uint64_t seed = u64_argument(launch, 3);
    const bool stream = build.method == 0 && elements * width > build.cache_bytes;
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, launch->grid.x);
        write_slice(destination + slice.first * step, slice.count, step, seed + slice.first, width, stream);
    }
}

static void triad_element(uint8_t *a, const uint8_t *b, const uint8_t *c, bool doubles) {
    float x, y;
    double x_double, y_double;
    if (doubles) {
        memcpy(&x_double, b, sizeof x_double);
        memcpy(&y_double, c, sizeof y_double);
        x_double += 3 * y_double;
        memcpy(a, &x_double, sizeof x_double);
        return;
    }
    memcpy(&x, b, sizeof x);
    memcpy(&y, c, sizeof y);
    x += 3 * y;
    memcpy(a, &x, sizeof x);
}

static void triad_slice(uint8_t *a, const uint8_t *b, const uint8_t *c, uint64_t bytes, bool stream, bool doubles) {
    const uint64_t number = doubles ? sizeof(double) : sizeof(float);
    const uint64_t head = gmem_bytes_to_line(a, bytes), end = bytes - (bytes - head) % GMEM_LINE_BYTES;
    for (uint64_t i = 0; i < head; i += number) {
        triad_element(a + i, b + i, c + i, doubles);
    }
    vectors()->triad(a + head, b + head, c + head, end - head, stream, doubles);
    for (uint64_t i = end; i < bytes; i += number) {
        triad_element(a + i, b + i, c + i, doubles);
    }
}

static void triad(const struct launch *launch, const struct kernel_constants *constants) {
    const struct build build = build_of(constants);
    const uint8_t *b = pointer_argument(launch, 0), *c = pointer_argument(launch, 1);
    uint8_t *a = pointer_argument(launch, 2);
    const uint64_t elements = u64_argument(launch, 3);
    const bool stream = build.method == 0 && 3 * elements * build.width > build.cache_bytes;
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, launch->grid.x);
        const uint64_t offset = slice.first * build.width, bytes = slice.count * build.width;
        triad_slice(a + offset, b + offset, c + offset, bytes, stream, build.width >= sizeof(double));
    }
}

static void sum(const struct launch *launch, const struct kernel_constants *constants) {
    const struct build build = build_of(constants);
    const uint8_t *source = pointer_argument(launch, 0);
    uint64_t *sums = (uint64_t *)(uintptr_t)launch->arguments[1].value.pointer;
    const uint64_t elements = u64_argument(launch, 2);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, launch->grid.x);
        sums[index] = vectors()->sum(source + slice.first * build.width, slice.count * build.width,
                                     build.width >= sizeof(double));
    }
}

native_kernel *gmem_native(const char *entry) {
    static const struct {
        const char *entry;
        native_kernel *kernel;
    } table[] = {{"stride_copy", stride_copy},
                 {"stride_read", stride_read},
                 {"stride_write", stride_write},
                 {"triad", triad},
                 {"sum", sum}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!strcmp(table[i].entry, entry)) {
            return table[i].kernel;
        }
    }
    return NULL;
}
