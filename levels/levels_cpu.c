#include "levels/levels_cpu.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "util/loops.h"

enum {
    STEPS_OF_LOOP = 32,
    CHAINS_MAX = 64, // as --loads allows
};

// Pages that are already present stay large, so they are given back, and the next access allocates small ones. A system
// without large pages refuses the call, which does no harm.
void levels_cpu_small_pages(uint64_t address, uint64_t bytes) {
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    void *memory = (void *)(uintptr_t)address; // NOLINT: a device address of the CPU is a host address
    madvise(memory, bytes / page * page, MADV_NOHUGEPAGE);
    madvise(memory, bytes / page * page, MADV_DONTNEED);
}

void levels_cpu_write_chain(const struct chain *chain, uint64_t base) {
#pragma omp parallel for schedule(static)
    for (uint64_t visit = 0; visit < chain->elements; visit++) {
        uint64_t *element = (uint64_t *)(uintptr_t)(base + chain_offset(chain, visit));
        *element = base + chain_offset(chain, visit + 1);
    }
}

void levels_cpu_fill_chain(const struct native_call *call) {
    const struct chain chain = {
        .elements = native_u64(call, 1),
        .page_elements = native_u64(call, 2),
        .line_bytes = native_u64(call, 4),
        .stagger_bytes = native_u64(call, 5),
        .pair_bytes = native_u64(call, 6),
        .seed = native_u64(call, 7),
    };
    levels_cpu_write_chain(&chain, call->launch->arguments[0].value.pointer);
}

static uint64_t read_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// The clock, and the time for which this thread has had a processor. The latter takes a system call, so it is read
// further from the chase.
struct times {
    uint64_t ran_ns, now_ns;
};

static struct times begin_times(void) {
    const uint64_t ran_ns = read_ns(CLOCK_THREAD_CPUTIME_ID);
    return (struct times){ran_ns, read_ns(CLOCK_MONOTONIC_RAW)};
}

// The time since then, less that in which another program had the processor.
static uint64_t ns_since(struct times begin) {
    const uint64_t taken_ns = read_ns(CLOCK_MONOTONIC_RAW) - begin.now_ns;
    const uint64_t ran_ns = read_ns(CLOCK_THREAD_CPUTIME_ID) - begin.ran_ns;
    return ran_ns > 0 && ran_ns < taken_ns ? ran_ns : taken_ns;
}

// A step's value is the next step's address, so no step begins before the one before has ended.
#define STEPS(rounds, NEXT)                                                                                            \
    for (uint32_t round = 0; round < (rounds); round++) {                                                              \
        UNROLL(32)                                                                                                     \
        for (int step = 0; step < STEPS_OF_LOOP; step++) {                                                             \
            at = (uint64_t *)(uintptr_t)(NEXT);                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    __asm__ volatile("" : "+r"(at) : : "memory") /* the clock is read after the last step */

#define CHASE(call, NEXT)                                                                                              \
    do {                                                                                                               \
        uint64_t *cursor = native_pointer(call, 0), *record = native_pointer(call, 1);                                 \
        const uint32_t warm_rounds = native_u32(call, 2), rounds = native_u32(call, 3);                                \
        uint64_t *at = (uint64_t *)(uintptr_t)*cursor;                                                                 \
        STEPS(warm_rounds, NEXT);                                                                                      \
        const struct times begin = begin_times();                                                                      \
        STEPS(rounds, NEXT);                                                                                           \
        record[0] = 0;                                                                                                 \
        record[1] = ns_since(begin);                                                                                   \
        record[2] = *cursor = (uintptr_t)at;                                                                           \
    } while (0)

void levels_cpu_chase(const struct native_call *call) {
    CHASE(call, *(volatile uint64_t *)at);
}

void levels_cpu_chase_atomic(const struct native_call *call) {
    const uint64_t zero = native_u64(call, 4);
    CHASE(call, __atomic_fetch_add(at, zero, __ATOMIC_RELAXED));
}

// The loads of one turn do not depend on each other; each depends on the chain's load of the turn before.
static void follow(uint64_t *cursors, uint32_t chains, uint32_t steps) {
    uint64_t at[CHAINS_MAX];
    memcpy(at, cursors, chains * sizeof *at);
    for (uint32_t step = 0; step < steps; step++) {
        for (uint32_t i = 0; i < chains; i++) {
            at[i] = *(const volatile uint64_t *)(uintptr_t)at[i];
        }
    }
    memcpy(cursors, at, chains * sizeof *at);
}

void levels_cpu_chase_several(uint64_t *cursors, uint32_t threads, uint32_t chains, uint32_t steps) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint32_t thread = 0; thread < threads; thread++) {
        follow(cursors + (size_t)thread * chains, chains, steps);
    }
}
