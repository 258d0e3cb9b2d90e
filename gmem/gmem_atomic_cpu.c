#include "gmem/gmem_atomic_cpu.h"

#include "device/cpu/slice.h"

// For one type: an addition, and one that returns the value before.
#define DEFINE_ADDITIONS(number)                                                                                       \
    static void add_##number(void *to, struct slice slice, uint64_t mask) {                                            \
        number *targets = to;                                                                                          \
        for (uint64_t i = slice.first; i < slice.first + slice.count; i++) {                                           \
            _Pragma("omp atomic update") targets[i & mask] += 1;                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static uint64_t fetch_add_##number(void *to, struct slice slice, uint64_t mask) {                                  \
        number *targets = to, before;                                                                                  \
        uint64_t sum = 0;                                                                                              \
        for (uint64_t i = slice.first; i < slice.first + slice.count; i++) {                                           \
            _Pragma("omp atomic capture") {                                                                            \
                before = targets[i & mask];                                                                            \
                targets[i & mask] += 1;                                                                                \
            }                                                                                                          \
            sum += (uint64_t)before;                                                                                   \
        }                                                                                                              \
        return sum;                                                                                                    \
    }
DEFINE_ADDITIONS(uint32_t)
DEFINE_ADDITIONS(uint64_t)
DEFINE_ADDITIONS(float)
DEFINE_ADDITIONS(double)

static const struct additions {
    void (*add)(void *to, struct slice slice, uint64_t mask);
    uint64_t (*fetch_add)(void *to, struct slice slice, uint64_t mask);
} additions[2][2] = {
    {{add_uint32_t, fetch_add_uint32_t}, {add_uint64_t, fetch_add_uint64_t}},
    {{add_float, fetch_add_float}, {add_double, fetch_add_double}},
};

static const struct additions *additions_of(const struct kernel_constants *constants) {
    return &additions[kernel_constant_value(constants, "FLOATING")][kernel_constant_value(constants, "WIDTH") == 8];
}

void gmem_atomic_add(const struct launch *launch, const struct kernel_constants *constants) {
    void *targets = (void *)(uintptr_t)launch->arguments[0].value.pointer;
    const uint64_t elements = launch->arguments[1].value.u64, mask = launch->arguments[2].value.u64;
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        additions_of(constants)->add(targets, cpu_slice(elements, index, launch->grid.x), mask);
    }
}

void gmem_atomic_fetch_add(const struct launch *launch, const struct kernel_constants *constants) {
    void *targets = (void *)(uintptr_t)launch->arguments[0].value.pointer;
    uint64_t *sink = (uint64_t *)(uintptr_t)launch->arguments[1].value.pointer;
    const uint64_t elements = launch->arguments[2].value.u64, mask = launch->arguments[3].value.u64;
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < launch->grid.x; index++) {
        sink[index] = additions_of(constants)->fetch_add(targets, cpu_slice(elements, index, launch->grid.x), mask);
    }
}
