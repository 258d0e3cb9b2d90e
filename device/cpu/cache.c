#include "device/cpu/cache.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <time.h>

enum {
    LINE_BYTES = 64,
    LOADS = 4096, // loads of a chain
    TRIES = 3,    // the best counts, because other programs only take from the cache
};
static const uint64_t SMALLEST_BYTES = UINT64_C(4) << 20;
static const double HIT_SHARE =
    0.7; // a chain of loads that mostly hit takes less than this share of the time of loads from memory

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#if defined __x86_64__
static const bool CAN_FLUSH = true;

static void flush_line(const volatile uint8_t *line) {
    __asm__ volatile("clflush %0" : : "m"(*line) : "memory");
}

static void wait_for_flushes(void) {
    __asm__ volatile("mfence" : : : "memory");
}
#elif defined __aarch64__
static const bool CAN_FLUSH = true;

static void flush_line(const volatile uint8_t *line) {
    __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
}

static void wait_for_flushes(void) {
    __asm__ volatile("dsb ish" : : : "memory");
}
#else
static const bool CAN_FLUSH = false;

static void flush_line(const volatile uint8_t *line) {
    (void)line;
}

static void wait_for_flushes(void) {}
#endif

// The line of a load. It depends on the value of the load before, which is always 0, so that loads wait for each other.
static uint64_t line_of(uint64_t number, uint64_t found, uint64_t lines) {
    uint64_t mixed = (number + found + 1) * UINT64_C(0x9e3779b97f4a7c15);
    mixed ^= mixed >> 29;
    mixed *= UINT64_C(0xbf58476d1ce4e5b9);
    return (mixed ^ mixed >> 32) % lines;
}

static double chase_ns(const volatile uint8_t *memory, uint64_t lines, uint64_t first) {
    uint64_t found = 0;
    const double start = now_ns();
    for (uint64_t i = 0; i < LOADS; i++) {
        found = memory[line_of(first + i, found, lines) * LINE_BYTES];
    }
    return now_ns() - start;
}

// Compares loads that may hit with loads of the same range that cannot, because both miss equally often in the TLB. No
// chain of loads is repeated, because a cache may favour lines that are used twice.
static bool mostly_hits(const volatile uint8_t *memory, uint64_t bytes, uint64_t *next) {
    const uint64_t lines = bytes / LINE_BYTES;
    for (int i = 0; i < TRIES; i++, *next += 2 * LOADS) {
        for (uint64_t line = 0; line < lines; line++) {
            (void)memory[line * LINE_BYTES];
        }
        const double cached = chase_ns(memory, lines, *next);
        for (uint64_t load = 0; load < LOADS; load++) {
            flush_line(&memory[line_of(*next + LOADS + load, 0, lines) * LINE_BYTES]);
        }
        wait_for_flushes();
        if (cached < HIT_SHARE * chase_ns(memory, lines, *next + LOADS)) {
            return true;
        }
    }
    return false;
}

static void touch(volatile uint8_t *memory, uint64_t from, uint64_t to) {
    enum {
        PAGE_BYTES = 4096
    };
    for (uint64_t at = from; at < to; at += PAGE_BYTES) {
        memory[at] = 0;
    }
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t cpu_measure_cache_bytes(uint64_t reported_bytes) {
    if (!CAN_FLUSH || reported_bytes <= SMALLEST_BYTES) {
        return reported_bytes;
    }
    volatile uint8_t *memory =
        mmap(NULL, reported_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return reported_bytes;
    }
    madvise((void *)memory, reported_bytes, MADV_HUGEPAGE); // otherwise address translation blurs the caches
    uint64_t found = SMALLEST_BYTES, touched = 0, next = 0;
    for (uint64_t bytes = SMALLEST_BYTES;; bytes = smaller(2 * bytes, reported_bytes)) {
        touch(memory, touched, bytes);
        touched = bytes;
        if (!mostly_hits(memory, bytes, &next)) {
            break;
        }
        found = bytes;
        if (bytes == reported_bytes) {
            break;
        }
    }
    munmap((void *)memory, reported_bytes);
    return found;
}
