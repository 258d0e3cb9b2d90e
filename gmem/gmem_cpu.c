#include "gmem/gmem_cpu.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "device/cpu/slice.h"
#include "gmem/gmem_cpu_vector.h"
#include "util/clock.h"
#include "util/statistics.h"

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

static struct build build_of(const struct native_call *call) {
    enum {
        USUAL_CACHE_BYTES = 32 << 20
    };
    const int64_t cache_bytes = native_constant(call, "CACHE_BYTES");
    return (struct build){
        .width = (uint32_t)native_constant(call, "WIDTH"),
        .method = (size_t)native_constant(call, "METHOD"),
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

void gmem_stride_copy(const struct native_call *call) {
    const struct build build = build_of(call);
    const uint32_t width = build.width;
    const uint8_t *source = native_pointer(call, 0);
    uint8_t *destination = native_pointer(call, 1);
    const uint64_t elements = native_u64(call, 2), step = native_u64(call, 3) * width;
    gmem_copy_bytes *const copy = 2 * elements * width > build.cache_bytes ? copy_method(build.method) : copy_library;
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < call->launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, call->launch->grid.x);
        const uint64_t offset = slice.first * step;
        copy_slice(destination + offset, source + offset, slice.count, step, width, copy);
    }
}

void gmem_stride_read(const struct native_call *call) {
    const struct build build = build_of(call);
    const uint8_t *source = native_pointer(call, 0);
    uint32_t *sink = native_pointer(call, 1);
    const uint64_t elements = native_u64(call, 2), step = native_u64(call, 3) * build.width;
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < call->launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, call->launch->grid.x);
        sink[index] = read_slice(source + slice.first * step, slice.count, step, &build);
    }
}

void gmem_stride_write(const struct native_call *call) {
    const struct build build = build_of(call);
    const uint32_t width = build.width;
    uint8_t *destination = native_pointer(call, 0);
    const uint64_t elements = native_u64(call, 1), step = native_u64(call, 2) * width;
    const uint64_t seed = native_u64(call, 3);
    const bool stream = build.method == 0 && elements * width > build.cache_bytes;
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < call->launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, call->launch->grid.x);
        write_slice(destination + slice.first * step, slice.count, step, seed + slice.first, width, stream);
    }
}

static void triad_element(uint8_t *a, const uint8_t *b, const uint8_t *c, bool doubles) {
    const size_t bytes = doubles ? sizeof(double) : sizeof(float);
    union {
        float single;
        double number;
    } x, y;
    memcpy(&x, b, bytes);
    memcpy(&y, c, bytes);
    if (doubles) {
        x.number += 3 * y.number;
    } else {
        x.single += 3 * y.single;
    }
    memcpy(a, &x, bytes);
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

void gmem_triad(const struct native_call *call) {
    const struct build build = build_of(call);
    const uint8_t *b = native_pointer(call, 0), *c = native_pointer(call, 1);
    uint8_t *a = native_pointer(call, 2);
    const uint64_t elements = native_u64(call, 3);
    const bool stream = build.method == 0 && 3 * elements * build.width > build.cache_bytes;
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < call->launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, call->launch->grid.x);
        const uint64_t offset = slice.first * build.width, bytes = slice.count * build.width;
        triad_slice(a + offset, b + offset, c + offset, bytes, stream, build.width >= sizeof(double));
    }
}

void gmem_sum(const struct native_call *call) {
    const struct build build = build_of(call);
    const uint8_t *source = native_pointer(call, 0);
    uint64_t *sums = native_pointer(call, 1);
    const uint64_t elements = native_u64(call, 2);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < call->launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, call->launch->grid.x);
        sums[index] = vectors()->sum(source + slice.first * build.width, slice.count * build.width,
                                     build.width >= sizeof(double));
    }
}

// ---- The fastest method on this machine ----

enum {
    WIDTH_BYTES = 16,
    METHODS_MAX = 16,
    PARTS = 4,       // of the arrays; a run takes one, so that it is short and may go undisturbed
    ROUNDS_MIN = 2,  // however long they take
    ROUNDS = 4,      // of all methods
    ROUNDS_MAX = 16, // of those that may be the fastest
    TRIAL_SEED = 1,
    ARGUMENTS_MAX = 5
};
static const uint64_t SMALLEST_BYTES = UINT64_C(128) << 20;
static const double WORTH_ANOTHER_TRY = 1.25; // slower methods than this multiple of the fastest are dropped
static const double AS_FAST = 1.02;
static const double CONFIRMED = 1.03; // the median over the best run of a method that nothing disturbs
static const double PATIENCE_S = 1;   // for one operation
static const double FAR = 0.15;

struct arrays {
    struct device *device;
    uint64_t bytes; // of each array
    uint64_t first, second, third, sink;
    double *before_ns, *after_ns; // of each thread
};

// What a run of an operation reads and writes.
struct trial {
    enum gmem_operation operation;
    native_kernel *kernel;
    double arrays_moved;
};
static const struct trial trials[GMEM_CPU_OPERATIONS] = {
    [GMEM_COPY] = {GMEM_COPY, gmem_stride_copy, 2},
    [GMEM_READ] = {GMEM_READ, gmem_stride_read, 1},
    [GMEM_WRITE] = {GMEM_WRITE, gmem_stride_write, 1},
    [GMEM_TRIAD] = {GMEM_TRIAD, gmem_triad, 3},
};

// The constant CACHE_BYTES of 1 makes every launch leave the caches, as an array as large as all parts does.
static void run_part(const struct arrays *arrays, const struct trial *trial, size_t method, uint64_t part) {
    const uint64_t bytes = arrays->bytes / PARTS, offset = part % PARTS * bytes;
    const struct argument first = argument_pointer(arrays->first + offset);
    const struct argument second = argument_pointer(arrays->second + offset);
    const struct argument third = argument_pointer(arrays->third + offset);
    const struct argument elements = argument_u64(bytes / WIDTH_BYTES), stride = argument_u64(1);
    const struct argument lists[GMEM_CPU_OPERATIONS][ARGUMENTS_MAX] = {
        [GMEM_COPY] = {first, second, elements, stride},
        [GMEM_READ] = {first, argument_pointer(arrays->sink), elements, stride},
        [GMEM_WRITE] = {second, elements, stride, argument_u64(TRIAL_SEED)},
        [GMEM_TRIAD] = {first, third, second, elements, stride},
    };
    const struct launch launch = {.grid = {arrays->device->info.compute_units, 1, 1},
                                  .block = {1, 1, 1},
                                  .arguments = lists[trial->operation],
                                  .argument_count = ARGUMENTS_MAX};
    trial->kernel(&(struct native_call){
        &launch, KERNEL_CONSTANTS({"WIDTH", WIDTH_BYTES}, {"METHOD", (int64_t)method}, {"CACHE_BYTES", 1})});
}

// The processor time of each thread.
static void read_threads(const struct arrays *arrays, double *ran_ns) {
    const uint32_t threads = arrays->device->info.compute_units;
#pragma omp parallel for schedule(static)
    for (uint32_t thread = 0; thread < threads; thread++) {
        struct timespec ran;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
        ran_ns[thread] = (double)ran.tv_sec * 1e9 + (double)ran.tv_nsec;
    }
}

// What a run took: by the clock, and the processor time of the thread that needed least. The threads have equal shares,
// and one that is done before another may wait for it in a loop, so the least is the time of a share. It is the same
// whether or not other programs have the processors in between.
struct taken {
    double clock_ns, share_ns;
};

// The part before fills the caches with lines that this method has written, so that it does not pay for another's.
static struct taken time_part(const struct arrays *arrays, const struct trial *trial, size_t method, uint64_t part) {
    struct taken taken = {.share_ns = HUGE_VAL};
    run_part(arrays, trial, method, part);
    read_threads(arrays, arrays->before_ns);
    const double start = clock_ns();
    run_part(arrays, trial, method, part + 1);
    taken.clock_ns = clock_ns() - start;
    read_threads(arrays, arrays->after_ns);
    for (uint32_t thread = 0; thread < arrays->device->info.compute_units; thread++) {
        taken.share_ns = fmin(taken.share_ns, arrays->after_ns[thread] - arrays->before_ns[thread]);
    }
    return taken;
}

size_t gmem_cpu_fastest(const struct gmem_cpu_record *records, size_t count) {
    double best_ns = HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        best_ns = fmin(best_ns, records[i].best_ns);
    }
    size_t fastest = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const bool is_near = records[i].best_ns <= AS_FAST * best_ns;
        if (is_near && (fastest == SIZE_MAX || records[i].median_ns < records[fastest].median_ns)) {
            fastest = i;
        }
    }
    return fastest;
}

// The times of one operation's methods.
struct contest {
    size_t methods, rounds[METHODS_MAX];
    double times_ns[METHODS_MAX][ROUNDS_MAX];
    struct gmem_cpu_record records[METHODS_MAX];
    double clock_ns[METHODS_MAX]; // of the fastest run
    double best_ns;
};

static void take_time(struct contest *contest, size_t method, const struct taken *taken) {
    double sorted[ROUNDS_MAX];
    const bool is_first = contest->rounds[method] == 0;
    contest->clock_ns[method] = is_first ? taken->clock_ns : fmin(contest->clock_ns[method], taken->clock_ns);
    contest->times_ns[method][contest->rounds[method]++] = taken->share_ns;
    for (size_t i = 0; i < contest->rounds[method]; i++) {
        sorted[i] = contest->times_ns[method][i];
    }
    const struct statistics statistics = statistics_of(sorted, contest->rounds[method]);
    contest->records[method] = (struct gmem_cpu_record){statistics.min, statistics.median};
    contest->best_ns = fmin(contest->best_ns, statistics.min);
}

// Methods take turns, so that a disturbance affects all of them, and each round begins with another one, so that one
// that comes back does not meet the same. A method that is far behind drops out after some rounds. Further rounds are
// for a machine that others use: they end when the fastest method is as fast in most of its runs.
static struct gmem_cpu_tuning find_fastest(const struct arrays *arrays, const struct trial *trial) {
    struct contest contest = {.methods = gmem_cpu_methods(trial->operation), .best_ns = HUGE_VAL};
    const double began_s = clock_s();
    size_t fastest = 0;
    uint64_t part = 0;
    for (size_t round = 0; round < ROUNDS_MAX; round++) {
        const struct gmem_cpu_record *leader = &contest.records[fastest];
        const bool is_confirmed = round >= ROUNDS && leader->median_ns <= CONFIRMED * leader->best_ns;
        if (is_confirmed || (round >= ROUNDS_MIN && clock_s() - began_s > PATIENCE_S)) {
            break;
        }
        for (size_t turn = 0; turn < contest.methods; turn++) {
            const size_t method = (turn + round) % contest.methods;
            if (round < ROUNDS || contest.records[method].best_ns <= WORTH_ANOTHER_TRY * contest.best_ns) {
                const struct taken taken = time_part(arrays, trial, method, part);
                take_time(&contest, method, &taken);
                part += 2;
            }
        }
        fastest = gmem_cpu_fastest(contest.records, contest.methods);
    }
    const double bytes = (double)(arrays->bytes / PARTS);
    return (struct gmem_cpu_tuning){fastest, trial->arrays_moved * bytes / contest.clock_ns[fastest]};
}

static void release(const struct arrays *arrays) {
    DEVICE_RELEASE(arrays->device, arrays->first, arrays->second, arrays->third, arrays->sink);
    free(arrays->before_ns);
    free(arrays->after_ns);
}

// An array holds twice what the caches do, so that no part is cached when its turn comes again.
static enum status allocate(struct arrays *arrays, bool needs_third, struct error *error) {
    struct device *device = arrays->device;
    const uint64_t cached = 2 * device->info.last_level_cache_bytes;
    arrays->bytes = (cached > SMALLEST_BYTES ? cached : SMALLEST_BYTES) / (PARTS * WIDTH_BYTES) * (PARTS * WIDTH_BYTES);
    const struct {
        uint64_t bytes, *address;
    } pieces[] = {
        {arrays->bytes, &arrays->first},
        {arrays->bytes, &arrays->second},
        {device->info.compute_units * sizeof(uint64_t), &arrays->sink},
        {needs_third ? arrays->bytes : 0, &arrays->third},
    };
    arrays->before_ns = memory_zeros(device->info.compute_units, sizeof *arrays->before_ns);
    arrays->after_ns = memory_zeros(device->info.compute_units, sizeof *arrays->after_ns);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        TRY(pieces[i].bytes > 0 ? device_allocate(device, pieces[i].bytes, pieces[i].address, error) : STATUS_OK);
    }
    return STATUS_OK;
}

void gmem_cpu_tune(struct device *device, const bool wanted[GMEM_CPU_OPERATIONS],
                   struct gmem_cpu_tuning found[GMEM_CPU_OPERATIONS]) {
    struct arrays arrays = {.device = device};
    struct error ignored = {0};
    if (memchr(wanted, true, GMEM_CPU_OPERATIONS * sizeof *wanted) == NULL) {
        return;
    }
    if (allocate(&arrays, wanted[GMEM_TRIAD], &ignored) == STATUS_OK) {
        for (int i = 0; i < GMEM_CPU_OPERATIONS; i++) {
            found[i] = wanted[i] ? find_fastest(&arrays, &trials[i]) : found[i];
        }
    }
    release(&arrays);
}

bool gmem_cpu_is_far(const struct gmem_cpu_tuning *tuning, double gb_s) {
    return tuning->gb_s > 0 && fabs(gb_s / tuning->gb_s - 1) > FAR;
}
