// Compares gmem's copy, read, write and triad on the CPU with other methods: in one run, with the same threads, on the
// same pages, in turns
//   ours       gmem's native kernels, by the methods that gmem chooses at its start
//   memcpy     the C library's, split over the threads, and in one call; memset likewise
//   STREAM     plain loops as in McCalpin's STREAM, c[j] = a[j], s += a[j], c[j] = s and c[j] = a[j] + 3 * b[j] over
//              doubles, compiled as the reference is: -O3, OpenMP
//   streaming  the same loops with the processor's plainest streaming stores
// and the bandwidth of each; then every method, and gmem's copy at growing strides.
//   build/tests/bench_copy [MEBIBYTES [ROUNDS]]     an array's size, by default 4 times the last-level cache
// A copy counts bytes read plus written. The exit status is 1 if our worst width reaches less than 0.97 of the best
// other method, each in its best round by processor time: that of the thread that needed most, which leaves out the
// time in which other programs had the processors. It needs OMP_WAIT_POLICY=passive, because threads that wait in a
// loop use their processors, too. Medians and times by the clock say something on an idle machine only.
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

#include "device/device.h"
#include "gmem/gmem_cpu.h"
#include "util/random.h"
#include "util/threads.h"

enum {
    ROUNDS_MAX = 1000,
    ARGUMENTS = 5
};

struct arrays {
    struct device *device;
    uint64_t source, destination, other;
    uint64_t bytes; // of each
    uint64_t sink;
    size_t methods[GMEM_CPU_OPERATIONS];
};

static void *at(uint64_t address) {
    return (void *)(uintptr_t)address;
}

static void launch(const struct arrays *arrays, enum gmem_operation operation, uint32_t width,
                   const struct argument arguments[ARGUMENTS]) {
    static native_kernel *const kernels[] = {[GMEM_COPY] = gmem_stride_copy,
                                             [GMEM_READ] = gmem_stride_read,
                                             [GMEM_WRITE] = gmem_stride_write,
                                             [GMEM_TRIAD] = gmem_triad};
    const struct launch launch = {.grid = {arrays->device->info.compute_units, 1, 1},
                                  .block = {1, 1, 1},
                                  .arguments = arguments,
                                  .argument_count = ARGUMENTS};
    kernels[operation](&(struct native_call){
        &launch, KERNEL_CONSTANTS({"WIDTH", width}, {"METHOD", (int64_t)arrays->methods[operation]},
                                  {"CACHE_BYTES", (int64_t)arrays->device->info.last_level_cache_bytes})});
}

static void copy_strided(const struct arrays *arrays, uint32_t width, uint64_t stride) {
    const struct argument arguments[ARGUMENTS] = {argument_pointer(arrays->source),
                                                  argument_pointer(arrays->destination),
                                                  argument_u64(arrays->bytes / width / stride), argument_u64(stride)};
    launch(arrays, GMEM_COPY, width, arguments);
}

static void copy_ours(const struct arrays *arrays, uint32_t width) {
    copy_strided(arrays, width, 1);
}

static void read_ours(const struct arrays *arrays, uint32_t width) {
    const struct argument arguments[ARGUMENTS] = {argument_pointer(arrays->source), argument_pointer(arrays->sink),
                                                  argument_u64(arrays->bytes / width), argument_u64(1)};
    launch(arrays, GMEM_READ, width, arguments);
}

static void write_ours(const struct arrays *arrays, uint32_t width) {
    const struct argument arguments[ARGUMENTS] = {
        argument_pointer(arrays->destination), argument_u64(arrays->bytes / width), argument_u64(1), argument_u64(1)};
    launch(arrays, GMEM_WRITE, width, arguments);
}

static void triad_ours(const struct arrays *arrays, uint32_t width) {
    const struct argument arguments[ARGUMENTS] = {argument_pointer(arrays->source), argument_pointer(arrays->other),
                                                  argument_pointer(arrays->destination),
                                                  argument_u64(arrays->bytes / width), argument_u64(1)};
    launch(arrays, GMEM_TRIAD, width, arguments);
}

static void copy_memcpy_split(const struct arrays *arrays, uint32_t width) {
    (void)width;
    device_copy_on_device(arrays->device, arrays->destination, arrays->source, arrays->bytes, NULL);
}

static void copy_memcpy(const struct arrays *arrays, uint32_t width) {
    (void)width;
    memcpy(at(arrays->destination), at(arrays->source), arrays->bytes);
}

static void write_memset_split(const struct arrays *arrays, uint32_t width) {
    (void)width;
    device_fill(arrays->device, arrays->destination, 0x5a, arrays->bytes, NULL);
}

static int64_t doubles_of(const struct arrays *arrays) {
    return (int64_t)(arrays->bytes / sizeof(double));
}

static void copy_stream(const struct arrays *arrays, uint32_t width) {
    (void)width;
    const double *restrict a = at(arrays->source);
    double *restrict c = at(arrays->destination);
    const int64_t count = doubles_of(arrays);
#pragma omp parallel for
    for (int64_t j = 0; j < count; j++) {
        c[j] = a[j];
    }
}

// Over integers, whose order a compiler may change.
static void read_stream(const struct arrays *arrays, uint32_t width) {
    (void)width;
    const uint64_t *restrict a = at(arrays->source);
    const int64_t count = doubles_of(arrays);
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t j = 0; j < count; j++) {
        sum += a[j];
    }
    *(volatile uint64_t *)at(arrays->sink) = sum;
}

static void write_stream(const struct arrays *arrays, uint32_t width) {
    (void)width;
    double *restrict c = at(arrays->destination);
    const int64_t count = doubles_of(arrays);
    const double value = (double)count;
#pragma omp parallel for
    for (int64_t j = 0; j < count; j++) {
        c[j] = value;
    }
}

static void triad_stream(const struct arrays *arrays, uint32_t width) {
    (void)width;
    const double *restrict a = at(arrays->source), *restrict b = at(arrays->other);
    double *restrict c = at(arrays->destination);
    const int64_t count = doubles_of(arrays);
#pragma omp parallel for
    for (int64_t j = 0; j < count; j++) {
        c[j] = a[j] + 3 * b[j];
    }
}

// ---- Streaming stores ----

#ifdef __x86_64__
typedef __m128d pair;
#define LOAD(from) _mm_load_pd(from)
#define STORE(to, pair) _mm_stream_pd(to, pair)
#define PAIR_OF(value) _mm_set1_pd(value)
#else
typedef double pair __attribute__((vector_size(16)));
#define LOAD(from) (*(const pair *)(from))
#define STORE(to, value) (*(pair *)(to) = (value))
#define PAIR_OF(value) ((pair){value, value})
#endif

#define STREAMING(name, VALUE)                                                                                         \
    static void name(const struct arrays *arrays, uint32_t width) {                                                    \
        const double *a = at(arrays->source), *b = at(arrays->other);                                                  \
        double *c = at(arrays->destination);                                                                           \
        const int64_t count = doubles_of(arrays);                                                                      \
        const pair three = PAIR_OF(3);                                                                                 \
        (void)width, (void)a, (void)b, (void)three;                                                                    \
        _Pragma("omp parallel for") for (int64_t j = 0; j < count; j += 2) {                                           \
            STORE(c + j, VALUE);                                                                                       \
        }                                                                                                              \
    }
STREAMING(copy_streaming, LOAD(a + j))
STREAMING(write_streaming, three)
STREAMING(triad_streaming, LOAD(a + j) + three * LOAD(b + j))

struct contender {
    const char *name;
    void (*run)(const struct arrays *arrays, uint32_t width);
    uint32_t width; // 0: not ours
};

enum {
    CONTENDERS_MAX = 9
};

#define OURS(run)                                                                                                      \
    {"ours, width 1", run, 1}, {"ours, width 2", run, 2}, {"ours, width 4", run, 4}, {"ours, width 8", run, 8}, {      \
        "ours, width 16", run, 16                                                                                      \
    }
static const struct task {
    const char *name;
    double arrays; // that are moved
    struct contender contenders[CONTENDERS_MAX];
} tasks[] = {
    [GMEM_COPY] = {"copy",
                   2,
                   {OURS(copy_ours),
                    {"memcpy, split", copy_memcpy_split, 0},
                    {"memcpy, one call", copy_memcpy, 0},
                    {"STREAM copy", copy_stream, 0},
                    {"streaming copy", copy_streaming, 0}}},
    [GMEM_READ] = {"read", 1, {OURS(read_ours), {"STREAM sum", read_stream, 0}}},
    [GMEM_WRITE] = {"write",
                    1,
                    {OURS(write_ours),
                     {"memset, split", write_memset_split, 0},
                     {"STREAM fill", write_stream, 0},
                     {"streaming fill", write_streaming, 0}}},
    [GMEM_TRIAD] = {"triad",
                    3,
                    {{"ours, width 4", triad_ours, 4},
                     {"ours, width 8", triad_ours, 8},
                     {"ours, width 16", triad_ours, 16},
                     {"STREAM triad", triad_stream, 0},
                     {"streaming triad", triad_streaming, 0}}},
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
    contender->run(arrays, contender->width);
    if (memcmp(at(arrays->destination), at(arrays->source), arrays->bytes)) {
        fprintf(stderr, "bench_copy: %s: the copy differs from its source\n", contender->name);
        exit(EXIT_FAILURE);
    }
}

static double ratio(const struct task *task, const double gb_s[CONTENDERS_MAX]) {
    double ours = HUGE_VAL, others = 0;
    for (int i = 0; i < CONTENDERS_MAX && task->contenders[i].run; i++) {
        ours = task->contenders[i].width ? fmin(ours, gb_s[i]) : ours;
        others = task->contenders[i].width ? others : fmax(others, gb_s[i]);
    }
    return ours / others;
}

enum {
    THREADS_MAX = 1024
};

struct taken {
    double clock_s, processor_s; // of the thread that needed most
};

static void read_threads(double ran_s[THREADS_MAX]) {
#pragma omp parallel
    {
        struct timespec ran;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
        ran_s[omp_get_thread_num() % THREADS_MAX] = (double)ran.tv_sec + (double)ran.tv_nsec * 1e-9;
    }
}

// Runs the contender twice and times the second run, so that the cache holds this contender's data, mainly dirty lines,
// and not another's.
static struct taken timed(const struct arrays *arrays, const struct contender *contender) {
    static double before[THREADS_MAX], after[THREADS_MAX];
    contender->run(arrays, contender->width);
    read_threads(before);
    const double start = seconds_now();
    contender->run(arrays, contender->width);
    struct taken taken = {seconds_now() - start, 0};
    read_threads(after);
    for (int thread = 0; thread < omp_get_max_threads() && thread < THREADS_MAX; thread++) {
        taken.processor_s = fmax(taken.processor_s, after[thread] - before[thread]);
    }
    return taken;
}

// Prints all results and returns the ratio of the best rounds by processor time.
static double compare_all(const struct arrays *arrays, const struct task *task, int rounds) {
    static double clock_s[CONTENDERS_MAX][ROUNDS_MAX], processor_s[CONTENDERS_MAX][ROUNDS_MAX];
    double middle[CONTENDERS_MAX], best[CONTENDERS_MAX], by_processor[CONTENDERS_MAX];
    const struct contender *contenders = task->contenders;
    const double gb = task->arrays * 1e-9 * (double)arrays->bytes;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < CONTENDERS_MAX && contenders[i].run; i++) {
            const struct taken taken = timed(arrays, &contenders[i]);
            clock_s[i][round] = taken.clock_s;
            processor_s[i][round] = taken.processor_s;
        }
    }
    printf("\n%-18s %8s %8s %8s  GB/s\n", task->name, "median", "best", "by CPU");
    for (int i = 0; i < CONTENDERS_MAX && contenders[i].run; i++) {
        middle[i] = gb / median(clock_s[i], (size_t)rounds);
        median(processor_s[i], (size_t)rounds);
        best[i] = gb / clock_s[i][0];
        by_processor[i] = gb / processor_s[i][0];
        printf("%-18s %8.2f %8.2f %8.2f\n", contenders[i].name, middle[i], best[i], by_processor[i]);
    }
    printf("%-18s %8.3f %8.3f %8.3f\n", "ours / others", ratio(task, middle), ratio(task, best),
           ratio(task, by_processor));
    return ratio(task, by_processor);
}

// At the widest element, the best of five.
static void show_methods(struct arrays *arrays, enum gmem_operation operation) {
    const struct contender *ours = &tasks[operation].contenders[operation == GMEM_TRIAD ? 2 : 4]; // width 16
    for (size_t method = 0; method < gmem_cpu_methods(operation); method++) {
        double seconds = HUGE_VAL;
        arrays->methods[operation] = method;
        for (int round = 0; round < 5; round++) {
            seconds = fmin(seconds, timed(arrays, ours).processor_s);
        }
        printf("%8.2f  %s by %s\n", tasks[operation].arrays * 1e-9 * (double)arrays->bytes / seconds,
               tasks[operation].name, gmem_cpu_method_name(operation, method));
    }
}

// Useful bytes only, the best of five. Once each element has a separate line, an element costs a whole line, read and
// written.
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
    if (device_allocate(arrays->device, arrays->bytes, &arrays->source, &error) ||
        device_allocate(arrays->device, arrays->bytes, &arrays->destination, &error) ||
        device_allocate(arrays->device, arrays->bytes, &arrays->other, &error) ||
        device_allocate(arrays->device, arrays->device->info.compute_units * sizeof(double), &arrays->sink, &error)) {
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
    for (int i = 0; i < CONTENDERS_MAX; i++) {
        verify(&arrays, &tasks[GMEM_COPY].contenders[i]);
    }
    const bool all[GMEM_CPU_OPERATIONS] = {true, true, true, true};
    struct gmem_cpu_tuning found[GMEM_CPU_OPERATIONS] = {0};
    gmem_cpu_tune(arrays.device, all, found);
    double reached = HUGE_VAL;
    for (int i = 0; i < GMEM_CPU_OPERATIONS; i++) {
        arrays.methods[i] = found[i].method;
        printf("%s by %s\n", tasks[i].name, gmem_cpu_method_name((enum gmem_operation)i, found[i].method));
        reached = fmin(reached, compare_all(&arrays, &tasks[i], rounds));
    }
    printf("\n");
    show_strides(&arrays);
    printf("\nGB/s\n");
    for (int i = 0; i < GMEM_CPU_OPERATIONS; i++) {
        show_methods(&arrays, (enum gmem_operation)i);
    }
    device_release(arrays.device, arrays.source);
    device_release(arrays.device, arrays.destination);
    device_release(arrays.device, arrays.other);
    device_release(arrays.device, arrays.sink);
    arrays.device->operations->close(arrays.device);
    return reached < 0.97;
}
