// Atomic additions: the CPU's kernels, buffers, arguments and checks.
#include "gmem/gmem_measure.h"

#include <stdlib.h>
#include <string.h>

#include "device/cpu/slice.h"
#include "gmem/gmem_layout.h"

// For one type: an addition, and one that returns the value before.
#define DEFINE_ADDITIONS(number)                                                                                       \
    static void add_##number(void *to, struct slice slice, uint64_t mask) {                                            \
        number *targets = to;                                                                                          \
        for (uint64_t i = slice.first; i < slice.first + slice.count; i++) {                                           \
            _Pragma("omp atomic update") targets[i & mask] += 1;                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static uint64_t fetch_add_##number(void *to, struct slice slice, uint64_t mask) {                                  \
        number *targets = to, before;                                                                                  \
        uint64_t sum = 0;                                                                                              \
        for (uint64_t i = slice.first; i < slice.first + slice.count; i++) {                                           \
            _Pragma("omp atomic capture") {                                                                            \
                before = targets[i & mask];                                                                            \
                targets[i & mask] += 1;                                                                                \
            }                                                                                                          \
            sum += (uint64_t)before;                                                                                   \
        }                                                                                                              \
        return sum;                                                                                                    \
    }
DEFINE_ADDITIONS(uint32_t)
DEFINE_ADDITIONS(uint64_t)
DEFINE_ADDITIONS(float)
DEFINE_ADDITIONS(double)

static const struct kernel_additions {
    void (*add)(void *to, struct slice slice, uint64_t mask);
    uint64_t (*fetch_add)(void *to, struct slice slice, uint64_t mask);
} kernel_additions[2][2] = {
    {{add_uint32_t, fetch_add_uint32_t}, {add_uint64_t, fetch_add_uint64_t}},
    {{add_float, fetch_add_float}, {add_double, fetch_add_double}},
};

static const struct kernel_additions *additions_of(const struct native_call *call) {
    return &kernel_additions[native_constant(call, "FLOATING")][native_constant(call, "WIDTH") == 8];
}

void gmem_atomic_add(const struct native_call *call) {
    void *targets = native_pointer(call, 0);
    const uint64_t elements = native_u64(call, 1), mask = native_u64(call, 2);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < call->launch->grid.x; index++) {
        additions_of(call)->add(targets, cpu_slice(elements, index, call->launch->grid.x), mask);
    }
}

void gmem_atomic_fetch_add(const struct native_call *call) {
    void *targets = native_pointer(call, 0);
    uint64_t *sink = native_pointer(call, 1);
    const uint64_t elements = native_u64(call, 2), mask = native_u64(call, 3);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < call->launch->grid.x; index++) {
        sink[index] = additions_of(call)->fetch_add(targets, cpu_slice(elements, index, call->launch->grid.x), mask);
    }
}

KERNEL_SOURCE(atomic_source, gmem_atomic_cu, "gmem/atomic.cu");

void gmem_atomic_set_targets(struct gmem_layout *layout, uint64_t window_bytes) {
    uint64_t targets = 1;
    while (targets <= window_bytes / layout->width_bytes / 2) {
        targets *= 2;
    }
    layout->window = window_bytes == 0 || targets > layout->elements ? layout->elements : targets;
    layout->slots = layout->window;
}

enum status gmem_atomic_check(const struct gmem_layout *layout, struct error *error) {
    static const uint64_t FLOAT_COUNTS = UINT64_C(1) << 24;
    const uint64_t additions = (layout->elements - 1) / layout->window + 1;
    if (layout->kernel->floating && layout->width_bytes == sizeof(float) && additions > FLOAT_COUNTS) {
        return error_set(error, STATUS_USAGE,
                         "%llu additions to one float, which counts only to %llu: give fewer --elements",
                         (unsigned long long)additions, (unsigned long long)FLOAT_COUNTS);
    }
    return STATUS_OK;
}

static uint64_t targets_bytes(const struct gmem_job *job) {
    return job->layout.slots * job->layout.width_bytes;
}

// The targets are counters, which must be 0 before a launch adds to them.
static enum status poison(struct gmem_job *job, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    return device_fill(run_device(job->run), buffers->destination, 0, targets_bytes(job), error);
}

// ---- The result ----

// The number of elements before this one that add to a target.
static uint64_t additions_before(const struct gmem_job *job, uint64_t element, uint64_t target) {
    const uint64_t targets = job->layout.slots;
    return element / targets + (target < element % targets);
}

static int ascending(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t additions_to(const struct gmem_job *job, uint64_t target) {
    struct gmem_part part;
    uint64_t additions = 0;
    for (uint64_t k = 0; gmem_next_part(job, k, &part); k++) {
        additions += additions_before(job, part.end, target) - additions_before(job, part.first, target);
    }
    return additions;
}

static uint64_t value_of(const struct gmem_job *job, const uint8_t *bytes) {
    const bool floating = job->layout.kernel->floating;
    union {
        uint32_t word;
        uint64_t long_word;
        float single;
        double number;
    } value;
    memcpy(&value, bytes, job->layout.width_bytes);
    if (job->layout.width_bytes == sizeof value.word) {
        return floating ? (uint64_t)value.single : value.word;
    }
    return floating ? (uint64_t)value.number : value.long_word;
}

// The targets at which the number of additions may change, in ascending order: those where a part of the elements
// begins or ends, and both ends. To be freed.
static uint64_t *find_changes(const struct gmem_job *job, size_t *count) {
    const uint64_t targets = job->layout.slots;
    uint64_t *changes = NULL;
    struct gmem_part part = {0, 0};
    *count = 0;
    for (uint64_t k = 0; k == 0 || gmem_next_part(job, k - 1, &part); k++) {
        const uint64_t ends[2] = {k ? part.first % targets : 0, k ? part.end % targets : targets};
        for (size_t i = 0; i < 2; i++) {
            changes = memory_room(changes, *count, sizeof *changes);
            changes[(*count)++] = ends[i];
        }
    }
    qsort(changes, *count, sizeof *changes, ascending);
    return changes;
}

// The number of targets from `first` to before `end` whose value differs from the number of additions to each of them.
static uint64_t wrong_values(const struct gmem_job *job, const uint8_t *host, uint64_t first, uint64_t end,
                             uint64_t additions) {
    uint64_t wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (uint64_t target = first; target < end; target++) {
        wrong += value_of(job, host + target * job->layout.width_bytes) != additions;
    }
    return wrong;
}

// The number of targets whose value differs from the number of their additions. *before becomes the sum of all values
// that additions found: 0, 1, 2 and so on for each target.
static uint64_t wrong_targets(const struct gmem_job *job, const uint8_t *host, uint64_t *before) {
    size_t count;
    uint64_t wrong = 0, *changes = find_changes(job, &count);
    *before = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        const uint64_t first = changes[i], end = changes[i + 1], additions = additions_to(job, first);
        wrong += wrong_values(job, host, first, end, additions);
        *before +=
            (end - first) * (additions % 2 ? additions * ((additions - 1) / 2) : additions / 2 * (additions - 1));
    }
    free(changes);
    return wrong;
}

static enum status read_targets(struct gmem_job *job, uint8_t **host, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    *host = malloc(targets_bytes(job));
    return *host ? device_copy_to_host(run_device(job->run), *host, buffers->destination, targets_bytes(job), error)
                 : error_set(error, STATUS_FAILED, "out of memory: give fewer --elements");
}

static enum status check(void *context, bool *right, struct error *error) {
    struct gmem_job *job = context;
    const struct gmem_buffers *buffers = job->run->state;
    uint8_t *host = NULL;
    uint64_t before = 0, fetched = 0;
    enum status status = read_targets(job, &host, error);
    *right = status == STATUS_OK && wrong_targets(job, host, &before) == 0;
    free(host);
    if (status == STATUS_OK && gmem_has_sink(job->layout.kernel)) {
        status = gmem_sink_total(run_device(job->run), job->layout.kernel, buffers->sink, buffers->sink_bytes, &fetched,
                                 error);
        *right = *right && fetched == before;
    }
    return status;
}

const struct gmem_family gmem_atomic = {&atomic_source, NULL, poison, check};
