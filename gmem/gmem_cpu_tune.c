#include "gmem/gmem_cpu_tune.h"

#include <math.h>
#include <stdbool.h>
#include <time.h>

enum {
    WIDTH_BYTES = 16,
    METHODS_MAX = 16,
    ROUNDS = 3,
    SEED = 1
};
static const uint64_t SMALLEST_BYTES = UINT64_C(128) << 20;
static const double WORTH_ANOTHER_TRY = 1.1; // times the fastest

struct arrays {
    struct device *device;
    uint64_t bytes; // of each
    uint64_t source, destination, sink;
};

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void run(const struct arrays *arrays, enum gmem_operation operation) {
    const struct argument source = argument_pointer(arrays->source);
    const struct argument destination = argument_pointer(arrays->destination);
    const struct argument elements = argument_u64(arrays->bytes / WIDTH_BYTES), stride = argument_u64(1);
    const struct {
        const char *entry;
        struct argument arguments[4];
    } kernels[] = {
        [GMEM_COPY] = {"stride_copy", {source, destination, elements, stride}},
        [GMEM_READ] = {"stride_read", {source, argument_pointer(arrays->sink), elements, stride}},
        [GMEM_WRITE] = {"stride_write", {destination, elements, stride, argument_u64(SEED)}},
    };
    const struct launch launch = {
        {arrays->device->info.compute_units, 1, 1}, {1, 1, 1}, 0, kernels[operation].arguments, 4, 0};
    const struct kernel_constant width = {"WIDTH", WIDTH_BYTES};
    gmem_native(kernels[operation].entry)(&launch, &(struct kernel_constants){&width, 1});
}

// The rounds go through all methods in turn, so that what disturbs for a while disturbs all; a method that is far
// behind is not tried again.
static void choose_fastest(const struct arrays *arrays, enum gmem_operation operation, struct gmem_cpu_tuning *found) {
    double fastest_ns[METHODS_MAX], best_ns = HUGE_VAL;
    size_t best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < gmem_cpu_methods(operation); i++) {
            if (round > 0 && fastest_ns[i] > WORTH_ANOTHER_TRY * best_ns) {
                continue;
            }
            gmem_cpu_choose(operation, i);
            const double start = now_ns();
            run(arrays, operation);
            const double taken = now_ns() - start;
            fastest_ns[i] = round > 0 ? fmin(fastest_ns[i], taken) : taken;
            if (taken < best_ns) {
                best_ns = taken;
                best = i;
            }
        }
    }
    gmem_cpu_choose(operation, best);
    *found = (struct gmem_cpu_tuning){gmem_cpu_method_name(operation, best),
                                      (operation == GMEM_COPY ? 2 : 1) * (double)arrays->bytes / best_ns};
}

static void release(const struct arrays *arrays) {
    const uint64_t addresses[] = {arrays->source, arrays->destination, arrays->sink};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (addresses[i]) {
            device_release(arrays->device, addresses[i]);
        }
    }
}

// A launch streams where it moves more than the caches hold: either array alone is more.
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
    for (int i = 0; i < GMEM_CPU_OPERATIONS; i++) {
        const enum gmem_operation operation = (enum gmem_operation)i;
        found[i] = (struct gmem_cpu_tuning){.method = gmem_cpu_method_name(operation, 0)};
        if (room) {
            choose_fastest(&arrays, operation, &found[i]);
        }
    }
    release(&arrays);
}
