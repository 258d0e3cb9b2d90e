#include "gmem/gmem_cpu_tune.h"

#include <math.h>
#include <stdbool.h>
#include <time.h>

enum {
    WIDTH_BYTES = 16,
    METHODS_MAX = 16,
    ROUNDS = 3,
    SEED = 1,
    ARGUMENTS = 4
};
static const uint64_t SMALLEST_BYTES = UINT64_C(128) << 20;
static const double WORTH_ANOTHER_TRY = 1.1; // slower methods than this multiple of the fastest are dropped

// The launch of an operation.
struct trial {
    const char *entry;
    double arrays_moved;
    struct argument arguments[ARGUMENTS];
};

struct arrays {
    struct device *device;
    uint64_t bytes; // of each array
    uint64_t source, destination, sink;
};

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void run(const struct arrays *arrays, const struct trial *trial, size_t method) {
    const struct launch launch = {.grid = {arrays->device->info.compute_units, 1, 1},
                                  .block = {1, 1, 1},
                                  .arguments = trial->arguments,
                                  .argument_count = ARGUMENTS};
    const struct kernel_constant constants[] = {
        {"WIDTH", WIDTH_BYTES},
        {"METHOD", (int64_t)method},
        {"CACHE_BYTES", (int64_t)arrays->device->info.last_level_cache_bytes},
    };
    gmem_native(trial->entry)(&launch, &(struct kernel_constants){constants, sizeof constants / sizeof *constants});
}

// Each round tries every method, so that a disturbance affects all of them. A method that is far behind is not tried
// again.
static struct gmem_cpu_tuning find_fastest(const struct arrays *arrays, const struct trial *trial, size_t methods) {
    double fastest_ns[METHODS_MAX], best_ns = HUGE_VAL;
    size_t best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < methods; i++) {
            if (round > 0 && fastest_ns[i] > WORTH_ANOTHER_TRY * best_ns) {
                continue;
            }
            const double start = now_ns();
            run(arrays, trial, i);
            const double taken = now_ns() - start;
            fastest_ns[i] = round > 0 ? fmin(fastest_ns[i], taken) : taken;
            if (taken < best_ns) {
                best_ns = taken;
                best = i;
            }
        }
    }
    return (struct gmem_cpu_tuning){best, trial->arrays_moved * (double)arrays->bytes / best_ns};
}

static void release(const struct arrays *arrays) {
    const uint64_t addresses[] = {arrays->source, arrays->destination, arrays->sink};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (addresses[i]) {
            device_release(arrays->device, addresses[i]);
        }
    }
}

// Each array alone exceeds the caches, because a launch streams only if it moves more than they hold.
static enum status allocate(struct arrays *arrays, struct error *error) {
    struct device *device = arrays->device;
    const uint64_t cache = device->info.last_level_cache_bytes;
    arrays->bytes = cache + cache / 8 > SMALLEST_BYTES ? cache + cache / 8 : SMALLEST_BYTES;
    const struct {
        uint64_t bytes, *address;
    } pieces[] = {
        {arrays->bytes, &arrays->source},
        {arrays->bytes, &arrays->destination},
        {device->info.compute_units * sizeof(uint32_t), &arrays->sink},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces && status == STATUS_OK; i++) {
        status = device_allocate(device, pieces[i].bytes, pieces[i].address, error);
    }
    return status;
}

void gmem_cpu_tune(struct device *device, struct gmem_cpu_tuning found[GMEM_CPU_OPERATIONS]) {
    struct arrays arrays = {.device = device};
    struct error ignored = {0};
    const bool room = allocate(&arrays, &ignored) == STATUS_OK;
    const struct argument source = argument_pointer(arrays.source), destination = argument_pointer(arrays.destination);
    const struct argument elements = argument_u64(arrays.bytes / WIDTH_BYTES), stride = argument_u64(1);
    const struct trial trials[] = {
        [GMEM_COPY] = {"stride_copy", 2, {source, destination, elements, stride}},
        [GMEM_READ] = {"stride_read", 1, {source, argument_pointer(arrays.sink), elements, stride}},
        [GMEM_WRITE] = {"stride_write", 1, {destination, elements, stride, argument_u64(SEED)}},
    };
    for (int i = 0; i < GMEM_CPU_OPERATIONS; i++) {
        found[i] = room ? find_fastest(&arrays, &trials[i], gmem_cpu_methods((enum gmem_operation)i))
                        : (struct gmem_cpu_tuning){0};
    }
    release(&arrays);
}
