#include "bench/harness_cpu.h"

#include "util/random.h"

static uint64_t *words_of(const struct launch *launch, size_t argument) {
    return (uint64_t *)(uintptr_t)launch->arguments[argument].value.pointer;
}

void harness_empty(const struct launch *launch, const struct kernel_constants *constants) {
    (void)launch, (void)constants;
}

void harness_flush_cache(const struct launch *launch, const struct kernel_constants *constants) {
    (void)constants;
    uint64_t *words = words_of(launch, 0);
    uint64_t count = launch->arguments[1].value.u64;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
        words[i] += 1;
    }
}

void harness_probe_read(const struct launch *launch, const struct kernel_constants *constants) {
    (void)constants;
    const uint64_t *words = words_of(launch, 0);
    uint64_t count = launch->arguments[1].value.u64;
    uint64_t checksum = 0;
#pragma omp parallel for schedule(static) reduction(^ : checksum)
    for (uint64_t i = 0; i < count; i++) {
        checksum ^= words[i];
    }
    *words_of(launch, 2) = checksum;
}

void harness_fill_random(const struct launch *launch, const struct kernel_constants *constants) {
    (void)constants;
    uint64_t *words = words_of(launch, 0);
    uint64_t count = launch->arguments[1].value.u64;
    uint64_t seed = launch->arguments[2].value.u64;
    uint64_t keep = launch->arguments[3].value.u64, set = launch->arguments[4].value.u64;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
        words[i] = (mix64(seed + i) & keep) | set;
    }
}
