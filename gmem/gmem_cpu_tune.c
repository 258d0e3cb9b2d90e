#include "gmem/gmem_cpu_tune.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/statistics.h"

enum {
    WIDTH_BYTES = 16,
    METHODS_MAX = 16,
    PARTS = 4,       // of the arrays; a run takes one, so that it is short and may go undisturbed
    ROUNDS_MIN = 2,  // however long they take
    ROUNDS = 4,      // of all methods
    ROUNDS_MAX = 16, // of those that may be the fastest
    SEED = 1,
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
    const char *entry;
    double arrays_moved;
};
static const struct trial trials[GMEM_CPU_OPERATIONS] = {
    [GMEM_COPY] = {GMEM_COPY, "stride_copy", 2},
    [GMEM_READ] = {GMEM_READ, "stride_read", 1},
    [GMEM_WRITE] = {GMEM_WRITE, "stride_write", 1},
    [GMEM_TRIAD] = {GMEM_TRIAD, "triad", 3},
};

static void set_arguments(const struct arrays *arrays, enum gmem_operation operation, uint64_t offset, uint64_t bytes,
                          struct argument arguments[ARGUMENTS_MAX]) {
    const struct argument first = argument_pointer(arrays->first + offset);
    const struct argument second = argument_pointer(arrays->second + offset);
    const struct argument third = argument_pointer(arrays->third + offset);
    const struct argument elements = argument_u64(bytes / WIDTH_BYTES), stride = argument_u64(1);
    const struct argument lists[GMEM_CPU_OPERATIONS][ARGUMENTS_MAX] = {
        [GMEM_COPY] = {first, second, elements, stride},
        [GMEM_READ] = {first, argument_pointer(arrays->sink), elements, stride},
        [GMEM_WRITE] = {second, elements, stride, argument_u64(SEED)},
        [GMEM_TRIAD] = {first, third, second, elements, stride},
    };
    for (size_t i = 0; i < ARGUMENTS_MAX; i++) {
        arguments[i] = lists[operation][i];
    }
}

// The constant CACHE_BYTES of 1 makes every launch leave the caches, as an array as large as all parts does.
static void run_part(const struct arrays *arrays, const struct trial *trial, size_t method, uint64_t part) {
    struct argument arguments[ARGUMENTS_MAX];
    const uint64_t bytes = arrays->bytes / PARTS;
    set_arguments(arrays, trial->operation, part % PARTS * bytes, bytes, arguments);
    const struct launch launch = {.grid = {arrays->device->info.compute_units, 1, 1},
                                  .block = {1, 1, 1},
                                  .arguments = arguments,
                                  .argument_count = ARGUMENTS_MAX};
    const struct kernel_constant constants[] = {
        {"WIDTH", WIDTH_BYTES}, {"METHOD", (int64_t)method}, {"CACHE_BYTES", 1}};
    gmem_native(trial->entry)(&launch, &(struct kernel_constants){constants, sizeof constants / sizeof *constants});
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
    const uint64_t addresses[] = {arrays->first, arrays->second, arrays->third, arrays->sink};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (addresses[i]) {
            device_release(arrays->device, addresses[i]);
        }
    }
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
    arrays->before_ns = calloc(device->info.compute_units, sizeof *arrays->before_ns);
    arrays->after_ns = calloc(device->info.compute_units, sizeof *arrays->after_ns);
    enum status status = arrays->before_ns && arrays->after_ns ? STATUS_OK : STATUS_FAILED;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces && status == STATUS_OK; i++) {
        status = pieces[i].bytes > 0 ? device_allocate(device, pieces[i].bytes, pieces[i].address, error) : STATUS_OK;
    }
    return status;
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
