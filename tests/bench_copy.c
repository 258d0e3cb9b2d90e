// The yardstick of gmem's copy on the CPU: in one run, with the same threads and the same memory, round by round
//   ours       gmem's native kernel
//   memcpy     the C library's, split over the threads, and in one call
//   STREAM     the copy loop of McCalpin's STREAM, c[j] = a[j] over doubles, compiled as the reference is: -O3, OpenMP
// and the median bandwidth of each; then gmem's kernel at growing strides.
//   build/tests/bench_copy [MEBIBYTES [ROUNDS]]     an array's size, by default 4 times the last-level cache
// Bytes are counted both ways. The exit status is 1 if our worst width reaches less than 0.95 of the best of the
// others, each in its best round: medians say more on an idle machine, and nothing where other programs want the
// processors.
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/backends.h"
#include "gmem/gmem_cpu.h"
#include "util/random.h"

enum {
    ROUNDS_MAX = 1000
};

struct arrays {
    struct device *device;
    uint64_t source, destination;
    uint64_t bytes; // of each
};

static void *at(uint64_t address) {
    return (void *)(uintptr_t)address;
}

static void copy_strided(const struct arrays *arrays, uint32_t width, uint64_t stride) {
    const struct argument arguments[] = {{ARGUMENT_POINTER, {.pointer = arrays->source}},
                                         {ARGUMENT_POINTER, {.pointer = arrays->destination}},
                                         {ARGUMENT_U64, {.u64 = arrays->bytes / width / stride}},
                                         {ARGUMENT_U64, {.u64 = stride}}};
    gmem_native("stride_copy", width)(&(struct launch){.grid = {arrays->device->info.compute_units, 1, 1},
                                                       .block = {1, 1, 1},
                                                       .arguments = arguments,
                                                       .argument_count = 4});
}

static void copy_ours(const struct arrays *arrays, uint32_t width) {
    copy_strided(arrays, width, 1);
}

static void copy_memcpy_split(const struct arrays *arrays, uint32_t width) {
    (void)width;
    device_copy_on_device(arrays->device, arrays->destination, arrays->source, arrays->bytes, NULL);
}

static void copy_memcpy(const struct arrays *arrays, uint32_t width) {
    (void)width;
    memcpy(at(arrays->destination), at(arrays->source), arrays->bytes);
}

static void copy_stream(const struct arrays *arrays, uint32_t width) {
    (void)width;
    const double *restrict a = at(arrays->source);
    double *restrict c = at(arrays->destination);
    const int64_t count = (int64_t)(arrays->bytes / sizeof *a);
#pragma omp parallel for
    for (int64_t j = 0; j < count; j++) {
        c[j] = a[j];
    }
}

static const struct contender {
    const char *name;
    void (*copy)(const struct arrays *arrays, uint32_t width);
    uint32_t width; // 0: not ours
} contenders[] = {
    {"ours, width 1", copy_ours, 1},      {"ours, width 2", copy_ours, 2},   {"ours, width 4", copy_ours, 4},
    {"ours, width 8", copy_ours, 8},      {"ours, width 16", copy_ours, 16}, {"memcpy, split", copy_memcpy_split, 0},
    {"memcpy, one call", copy_memcpy, 0}, {"STREAM copy", copy_stream, 0},
};
enum {
    CONTENDERS = sizeof contenders / sizeof *contenders
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts the values.
static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

// Every copy must be right: the destination is poisoned before it.
static void verify(const struct arrays *arrays, const struct contender *contender) {
    memset(at(arrays->destination), 0xa5, arrays->bytes);
    contender->copy(arrays, contender->width);
    if (memcmp(at(arrays->destination), at(arrays->source), arrays->bytes)) {
        fprintf(stderr, "bench_copy: %s: the copy differs from its source\n", contender->name);
        exit(EXIT_FAILURE);
    }
}

static double ratio(const double gb_s[CONTENDERS]) {
    double ours = HUGE_VAL, others = 0;
    for (int i = 0; i < CONTENDERS; i++) {
        ours = contenders[i].width ? fmin(ours, gb_s[i]) : ours;
        others = contenders[i].width ? others : fmax(others, gb_s[i]);
    }
    return ours / others;
}

// Prints all and returns the ratio of the best rounds.
static double compare_copies(const struct arrays *arrays, int rounds) {
    static double seconds[CONTENDERS][ROUNDS_MAX];
    double middle[CONTENDERS], best[CONTENDERS];
    for (int i = 0; i < CONTENDERS; i++) {
        verify(arrays, &contenders[i]);
    }
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < CONTENDERS; i++) {
            const double start = seconds_now();
            contenders[i].copy(arrays, contenders[i].width);
            seconds[i][round] = seconds_now() - start;
        }
    }
    printf("%-18s %8s %8s  GB/s\n", "", "median", "best");
    for (int i = 0; i < CONTENDERS; i++) {
        middle[i] = 2e-9 * (double)arrays->bytes / median(seconds[i], (size_t)rounds);
        best[i] = 2e-9 * (double)arrays->bytes / seconds[i][0];
        printf("%-18s %8.2f %8.2f\n", contenders[i].name, middle[i], best[i]);
    }
    printf("%-18s %8.3f %8.3f\n", "ours / others", ratio(middle), ratio(best));
    return ratio(best);
}

// Useful bytes only, the best of five: from the stride on at which each element has a line of its own it costs a whole
// line, both ways.
static void show_strides(const struct arrays *arrays) {
    printf("\nGB/s by stride in elements, the array's bytes kept\n%-10s", "");
    for (uint64_t stride = 1; stride <= 64; stride *= 2) {
        printf("%9" PRIu64, stride);
    }
    for (uint32_t width = 1; width <= 16; width *= 2) {
        printf("\nwidth %-4" PRIu32, width);
        for (uint64_t stride = 1; stride <= 64; stride *= 2) {
            double seconds = HUGE_VAL;
            for (int round = 0; round < 5; round++) {
                const double start = seconds_now();
                copy_strided(arrays, width, stride);
                seconds = fmin(seconds, seconds_now() - start);
            }
            printf("%9.2f", 2e-9 * (double)(arrays->bytes / stride) / seconds);
        }
    }
    printf("\n");
}

static void open_arrays(struct arrays *arrays, uint64_t bytes) {
    struct error error = {0};
    if (cpu_backend.open(NULL, &arrays->device, &error)) {
        goto failed;
    }
    const uint64_t cache = arrays->device->info.last_level_cache_bytes;
    arrays->bytes = bytes ? bytes : 4 * (cache ? cache : 32 << 20);
    if (cpu_backend.allocate(arrays->device, arrays->bytes, &arrays->source, &error) ||
        cpu_backend.allocate(arrays->device, arrays->bytes, &arrays->destination, &error)) {
        goto failed;
    }
    uint64_t *words = at(arrays->source);
    for (uint64_t i = 0; i < arrays->bytes / sizeof *words; i++) {
        words[i] = mix64(i);
    }
    return;
failed:
    error_print("bench_copy", &error);
    exit(EXIT_FAILURE);
}

int main(int count, char **arguments) {
    const uint64_t bytes = count > 1 ? strtoull(arguments[1], NULL, 10) << 20 : 0;
    const int rounds = count > 2 ? atoi(arguments[2]) : 21;
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "bench_copy: %s rounds: from 1 to %d\n", arguments[2], ROUNDS_MAX);
        return 2;
    }
    struct arrays arrays;
    open_arrays(&arrays, bytes);
    printf("%s, %s, %" PRIu32 " threads, arrays of %" PRIu64 " MiB, last-level cache %" PRIu64 " MiB\n",
           arrays.device->info.name, arrays.device->info.arch, arrays.device->info.compute_units, arrays.bytes >> 20,
           arrays.device->info.last_level_cache_bytes >> 20);
    const double reached = compare_copies(&arrays, rounds);
    show_strides(&arrays);
    cpu_backend.release(arrays.device, arrays.source);
    cpu_backend.release(arrays.device, arrays.destination);
    cpu_backend.close(arrays.device);
    return reached < 0.95;
}
