#include "links/nodes_cpu.h"

#include "device/cpu/slice.h"
#include "device/cpu/stream_vector.h"
#include "util/threads.h"

enum {
    WORD_BYTES = 16
};

static uint8_t *memory_of(const struct launch *launch) {
    return (uint8_t *)(uintptr_t)launch->arguments[0]
        .value.pointer; // NOLINT: a device address of the CPU is a host address
}

static struct slice pages_of_thread(const struct launch *launch) {
    return cpu_slice(launch->arguments[1].value.u64 / LINKS_PAGE_BYTES, (uint32_t)omp_get_thread_num(),
                     (uint32_t)omp_get_num_threads());
}

void links_cpu_read(const struct launch *launch, const struct kernel_constants *constants) {
    uint32_t sum = 0;
    (void)constants;
#pragma omp parallel reduction(+ : sum)
    {
        const struct slice pages = pages_of_thread(launch);
        sum += cpu_stream_loops()->read(memory_of(launch) + pages.first * LINKS_PAGE_BYTES,
                                        pages.count * LINKS_PAGE_BYTES);
    }
    *(uint64_t *)(uintptr_t)launch->arguments[3].value.pointer = sum; // NOLINT: as above
}

static void write_by(const struct launch *launch, void (*write)(uint8_t *to, uint64_t bytes, uint64_t first)) {
#pragma omp parallel
    {
        const struct slice pages = pages_of_thread(launch);
        const uint64_t at = pages.first * LINKS_PAGE_BYTES;
        write(memory_of(launch) + at, pages.count * LINKS_PAGE_BYTES, launch->arguments[2].value.u64 + at / WORD_BYTES);
    }
}

void links_cpu_write(const struct launch *launch, const struct kernel_constants *constants) {
    (void)constants;
    write_by(launch, cpu_stream_loops()->write);
}

void links_cpu_write_past_caches(const struct launch *launch, const struct kernel_constants *constants) {
    (void)constants;
    write_by(launch, cpu_stream_loops()->write_past_caches);
}
