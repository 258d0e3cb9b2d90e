#include "gmem/gmem_indexed_cpu.h"

#include "device/cpu/slice.h"
#include "gmem/gmem_cpu_element.h"
#include "gmem/gmem_cpu_vector.h"

// Advances from element to element without a division.
struct cursor {
    const uint32_t *indices;
    uint64_t length, delta; // of the pattern
    uint64_t at, base;      // the position in the indices, and the offset added to an index
};

static struct cursor cursor_at(const uint32_t *indices, uint64_t length, uint64_t delta, uint64_t element) {
    return (struct cursor){indices, length, delta, element % length, element / length * delta};
}

ALWAYS_INLINE uint64_t next_place(struct cursor *cursor) {
    const uint64_t place = cursor->base + cursor->indices[cursor->at];
    if (++cursor->at == cursor->length) {
        cursor->at = 0;
        cursor->base += cursor->delta;
    }
    return place;
}

ALWAYS_INLINE void gather_slice(uint32_t *sum, const uint8_t *source, struct cursor from, struct slice slice,
                                uint32_t width) {
    uint32_t total = 0;
    for (uint64_t i = slice.first; i < slice.first + slice.count; i++) {
        const uint64_t value = load_element(source + next_place(&from) * width, width);
        total += (uint32_t)(value ^ value >> 32) * (2 * (uint32_t)i + 1);
    }
    *sum = total;
}

ALWAYS_INLINE void scatter_slice(uint8_t *destination, struct cursor to, struct slice slice, uint64_t seed,
                                 uint32_t width) {
    for (uint64_t i = slice.first; i < slice.first + slice.count; i++) {
        write_element(destination + next_place(&to) * width, seed + i, width);
    }
}

ALWAYS_INLINE void gather_scatter_slice(uint8_t *destination, const uint8_t *source, struct cursor from,
                                        struct cursor to, uint64_t count, uint32_t width) {
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *element = source + next_place(&from) * width;
        memcpy(destination + next_place(&to) * width, element, width);
    }
}

// ---- Launches ----

static void *pointer_argument(const struct launch *launch, size_t index) {
    return (void *)(uintptr_t)launch->arguments[index].value.pointer;
}

static uint64_t u64_argument(const struct launch *launch, size_t index) {
    return launch->arguments[index].value.u64;
}

static uint32_t width_of(const struct kernel_constants *constants) {
    return (uint32_t)kernel_constant_value(constants, "WIDTH");
}

// If each element has an index, the pattern is as long as the array.
static uint64_t length_of(const struct kernel_constants *constants, uint64_t elements) {
    const uint64_t pattern = (uint64_t)kernel_constant_value(constants, "PATTERN");
    return pattern ? pattern : elements;
}

void gmem_gather(const struct launch *launch, const struct kernel_constants *constants) {
    const uint8_t *source = pointer_argument(launch, 0);
    const uint32_t *indices = pointer_argument(launch, 1);
    uint32_t *sink = pointer_argument(launch, 2);
    const uint64_t elements = u64_argument(launch, 3), delta = u64_argument(launch, 4);
    const uint64_t length = length_of(constants, elements);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, launch->grid.x);
        const struct cursor from = cursor_at(indices, length, delta, slice.first);
        WITH_WIDTH(width_of(constants), gather_slice, &sink[index], source, from, slice);
    }
}

void gmem_scatter(const struct launch *launch, const struct kernel_constants *constants) {
    uint8_t *destination = pointer_argument(launch, 0);
    const uint32_t *indices = pointer_argument(launch, 1);
    const uint64_t elements = u64_argument(launch, 2), delta = u64_argument(launch, 3), seed = u64_argument(launch, 4);
    const uint64_t length = length_of(constants, elements);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, launch->grid.x);
        const struct cursor to = cursor_at(indices, length, delta, slice.first);
        WITH_WIDTH(width_of(constants), scatter_slice, destination, to, slice, seed);
    }
}

void gmem_gather_scatter(const struct launch *launch, const struct kernel_constants *constants) {
    const uint8_t *source = pointer_argument(launch, 0);
    uint8_t *destination = pointer_argument(launch, 1);
    const uint32_t *gather_indices = pointer_argument(launch, 2), *scatter_indices = pointer_argument(launch, 3);
    const uint64_t elements = u64_argument(launch, 4);
    const uint64_t length = length_of(constants, elements);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, launch->grid.x);
        const struct cursor from = cursor_at(gather_indices, length, u64_argument(launch, 5), slice.first);
        const struct cursor to = cursor_at(scatter_indices, length, u64_argument(launch, 6), slice.first);
        WITH_WIDTH(width_of(constants), gather_scatter_slice, destination, source, from, to, slice.count);
    }
}
