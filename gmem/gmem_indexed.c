// Gathers and scatters: the CPU's kernels, buffers, arguments and checks.
#include "gmem/gmem_measure.h"

#include <stdlib.h>
#include <string.h>

#include "device/cpu/slice.h"
#include "gmem/gmem_cpu.h"
#include "gmem/gmem_cpu_vector.h"
#include "gmem/gmem_layout.h"
#include "util/random.h"

// Advances from element to element without a division.
struct cursor {
    const uint32_t *indices;
    uint64_t length, delta; // of the pattern
    uint64_t at, base;      // the position in the indices, and the offset added to an index
};

static struct cursor cursor_at(const uint32_t *indices, uint64_t length, uint64_t delta, uint64_t element) {
    return (struct cursor){indices, length, delta, element % length, element / length * delta};
}

ALWAYS_INLINE uint64_t next_place(struct cursor *cursor) {
    const uint64_t place = cursor->base + cursor->indices[cursor->at];
    if (++cursor->at == cursor->length) {
        cursor->at = 0;
        cursor->base += cursor->delta;
    }
    return place;
}

ALWAYS_INLINE void gather_slice(uint32_t *sum, const uint8_t *source, struct cursor from, struct slice slice,
                                uint32_t width) {
    uint32_t total = 0;
    for (uint64_t i = slice.first; i < slice.first + slice.count; i++) {
        const uint64_t value = load_element(source + next_place(&from) * width, width);
        total += (uint32_t)(value ^ value >> 32) * (2 * (uint32_t)i + 1);
    }
    *sum = total;
}

ALWAYS_INLINE void scatter_slice(uint8_t *destination, struct cursor to, struct slice slice, uint64_t seed,
                                 uint32_t width) {
    for (uint64_t i = slice.first; i < slice.first + slice.count; i++) {
        write_element(destination + next_place(&to) * width, seed + i, width);
    }
}

ALWAYS_INLINE void gather_scatter_slice(uint8_t *destination, const uint8_t *source, struct cursor from,
                                        struct cursor to, uint64_t count, uint32_t width) {
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *element = source + next_place(&from) * width;
        memcpy(destination + next_place(&to) * width, element, width);
    }
}

// ---- Launches ----

static uint32_t width_of(const struct native_call *call) {
    return (uint32_t)native_constant(call, "WIDTH");
}

// If each element has an index, the pattern is as long as the array.
static uint64_t length_of(const struct native_call *call, uint64_t elements) {
    const uint64_t pattern = (uint64_t)native_constant(call, "PATTERN");
    return pattern ? pattern : elements;
}

void gmem_gather(const struct native_call *call) {
    const uint8_t *source = native_pointer(call, 0);
    const uint32_t *indices = native_pointer(call, 1);
    uint32_t *sink = native_pointer(call, 2);
    const uint64_t elements = native_u64(call, 3), delta = native_u64(call, 4);
    const uint64_t length = length_of(call, elements);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < call->launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, call->launch->grid.x);
        const struct cursor from = cursor_at(indices, length, delta, slice.first);
        WITH_WIDTH(width_of(call), gather_slice, &sink[index], source, from, slice);
    }
}

void gmem_scatter(const struct native_call *call) {
    uint8_t *destination = native_pointer(call, 0);
    const uint32_t *indices = native_pointer(call, 1);
    const uint64_t elements = native_u64(call, 2), delta = native_u64(call, 3), seed = native_u64(call, 4);
    const uint64_t length = length_of(call, elements);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < call->launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, call->launch->grid.x);
        const struct cursor to = cursor_at(indices, length, delta, slice.first);
        WITH_WIDTH(width_of(call), scatter_slice, destination, to, slice, seed);
    }
}

void gmem_gather_scatter(const struct native_call *call) {
    const uint8_t *source = native_pointer(call, 0);
    uint8_t *destination = native_pointer(call, 1);
    const uint32_t *gather_indices = native_pointer(call, 2), *scatter_indices = native_pointer(call, 3);
    const uint64_t elements = native_u64(call, 4);
    const uint64_t length = length_of(call, elements);
#pragma omp parallel for schedule(static)
    for (uint32_t index = 0; index < call->launch->grid.x; index++) {
        const struct slice slice = cpu_slice(elements, index, call->launch->grid.x);
        const struct cursor from = cursor_at(gather_indices, length, native_u64(call, 5), slice.first);
        const struct cursor to = cursor_at(scatter_indices, length, native_u64(call, 6), slice.first);
        WITH_WIDTH(width_of(call), gather_scatter_slice, destination, source, from, to, slice.count);
    }
}

// ---- Indices on a device ----

// Indices that a GPU makes, and checks of gathers and scatters that run on it (gmem/indexed_device.cu).

enum {
    SOME = 1024 // indices that are compared with the host's at a time
};

KERNEL_SOURCE(source, gmem_indexed_device_cu, "gmem/indexed_device.cu");

// Whether the GPU makes the job's indices: a real one, unless a file gives them.
static bool gmem_indexed_on_device(const struct gmem_job *job) {
    return device_is_real_gpu(run_info(job->run)) && !job->index[0].pattern;
}

static struct gmem_tally tally_of(const struct gmem_job *job, const char *entry) {
    return (struct gmem_tally){.source = &source, .entry = entry, .width_bytes = job->layout.width_bytes};
}

// Compares the indices from first on with the host's.
static enum status compare_indices(const struct gmem_job *job, uint32_t array, uint64_t first, bool *right,
                                   struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    uint32_t made[SOME];
    const uint64_t left = job->layout.elements - first, count = left < SOME ? left : SOME;
    TRY(device_copy_to_host(run_device(job->run), made, buffers->indices[array] + first * sizeof *made,
                            count * sizeof *made, error));
    for (uint64_t i = 0; i < count; i++) {
        *right &= made[i] == gmem_index_at(&job->index[array], first + i);
    }
    return STATUS_OK;
}

// Each index below the number of elements occurs once, so their sum is known.
static enum status gmem_indexed_make(struct gmem_job *job, uint32_t array, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    const uint64_t elements = job->layout.elements;
    const uint64_t pieces[] = {0, elements / 2, elements < SOME ? 0 : elements - SOME};
    struct gmem_tally make = tally_of(job, "make_indices");
    uint64_t sum = 0;
    gmem_tally_add(&make, argument_pointer(buffers->indices[array]));
    gmem_tally_add(&make, argument_u64(elements));
    gmem_tally_add(&make, argument_u64(gmem_index_window(&job->index[array])));
    gmem_tally_add(&make, argument_u64(job->index[array].seed));
    TRY(gmem_tally_run(job->run->bench_device, &make, &sum, error));
    bool right = sum == elements * (elements - 1) / 2;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        TRY(compare_indices(job, array, pieces[i], &right, error));
    }
    return right
               ? STATUS_OK
               : error_set(error, STATUS_FAILED, "%s makes other indices than the host: update its driver and compiler",
                           run_info(job->run)->spec);
}

// The sum that a gather's sink must add up to.
static enum status gmem_indexed_expect_sum(struct gmem_job *job, uint32_t *sum, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    struct gmem_tally expect = tally_of(job, "expect_gather");
    uint64_t total = 0;
    gmem_tally_add(&expect, argument_pointer(buffers->indices[0]));
    gmem_tally_add(&expect, argument_u64(job->layout.elements));
    gmem_tally_add(&expect, argument_u64(gmem_source_seed(job->run->settings->seed, 0)));
    const enum status status = gmem_tally_run(job->run->bench_device, &expect, &total, error);
    *sum = (uint32_t)total;
    return status;
}

// Sets *right to whether each element of the destination is right.
static enum status gmem_indexed_check_destination(struct gmem_job *job, bool *right, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    const uint32_t reads = job->layout.kernel->reads;
    struct gmem_tally check = tally_of(job, reads > 0 ? "check_gather_scatter" : "check_scatter");
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < reads; i++) {
        gmem_tally_add(&check, argument_pointer(buffers->sources[i]));
    }
    gmem_tally_add(&check, argument_pointer(buffers->destination));
    for (uint32_t array = 0; array <= reads; array++) {
        gmem_tally_add(&check, argument_pointer(buffers->indices[array]));
    }
    gmem_tally_add(&check, argument_u64(job->layout.elements));
    if (reads == 0) {
        gmem_tally_add(&check, argument_u64(job->run->settings->seed));
    }
    const enum status status = gmem_tally_run(job->run->bench_device, &check, &wrong, error);
    *right = wrong == 0;
    return status;
}

KERNEL_SOURCE(indexed_source, gmem_indexed_cu, "gmem/indexed.cu");

// ---- Indices and data ----

// Makes the indices [first, end) on the host, a piece at a time.
static enum status write_indices(const struct gmem_job *job, uint32_t array, uint64_t first, uint64_t end,
                                 struct error *error) {
    enum {
        PIECE = 1 << 20
    };
    const struct gmem_buffers *buffers = job->run->state;
    const struct gmem_index *index = &job->index[array];
    uint32_t *piece = memory_zeros(end - first < PIECE ? end - first : PIECE, sizeof *piece);
    enum status status = STATUS_OK;
    for (uint64_t at = first; at < end && status == STATUS_OK; at += PIECE) {
        const uint64_t count = end - at < PIECE ? end - at : PIECE;
#pragma omp parallel for schedule(static)
        for (uint64_t i = 0; i < count; i++) {
            piece[i] = gmem_index_at(index, at + i);
        }
        status = device_copy_to_device(run_device(job->run), buffers->indices[array] + at * sizeof *piece, piece,
                                       count * sizeof *piece, error);
    }
    free(piece);
    return status;
}

// A pattern is short. Otherwise only the indices that the launch reads are made.
static enum status fill_indices(struct gmem_job *job, uint32_t array, struct error *error) {
    const struct gmem_index *index = &job->index[array];
    struct gmem_part part;
    if (index->pattern) {
        return write_indices(job, array, 0, index->length, error);
    }
    if (gmem_indexed_on_device(job)) {
        return gmem_indexed_make(job, array, error);
    }
    for (uint64_t i = 0; gmem_next_part(job, i, &part); i++) {
        TRY(write_indices(job, array, part.first, part.end, error));
    }
    return STATUS_OK;
}

static uint64_t source_word(const struct gmem_job *job, uint64_t word) {
    return mix64(gmem_source_seed(job->run->settings->seed, 0) + word);
}

// The words that hold an element.
static enum status fill_element(const struct gmem_job *job, uint64_t i, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    const uint64_t width = job->layout.width_bytes, place = gmem_index_slot(&job->index[0], i);
    const uint64_t word = place * width / sizeof(uint64_t);
    const uint64_t words[2] = {source_word(job, word), source_word(job, word + 1)};
    return device_copy_to_device(run_device(job->run), buffers->sources[0] + word * sizeof word, words,
                                 width == sizeof words ? sizeof words : sizeof *words, error);
}

// On a simulated device only the part of the source that the launch reads is filled.
static enum status fill_source(struct gmem_job *job, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    struct gmem_part part;
    if (job->layout.kernel->reads == 0 || !run_info(job->run)->predicted) {
        return STATUS_OK;
    }
    if (!run_info(job->run)->simulated_blocks) {
        return bench_device_fill_random(job->run->bench_device, buffers->sources[0], buffers->bytes,
                                        gmem_source_seed(job->run->settings->seed, 0), error);
    }
    for (uint64_t k = 0; gmem_next_part(job, k, &part); k++) {
        for (uint64_t i = part.first; i < part.end; i++) {
            TRY(fill_element(job, i, error));
        }
    }
    return STATUS_OK;
}

static enum status fill(struct gmem_job *job, struct error *error) {
    const uint32_t arrays = job->layout.kernel->reads + job->layout.kernel->writes;
    for (uint32_t array = 0; array < arrays; array++) {
        TRY(fill_indices(job, array, error));
    }
    return fill_source(job, error);
}

// ---- The result ----

static uint64_t scatter_offset(const struct gmem_job *job, uint64_t i) {
    return gmem_index_slot(&job->index[job->layout.kernel->reads], i) * job->layout.width_bytes;
}

// Applies a function to each element that the launch stores, where only some blocks run.
static enum status each_stored(struct gmem_job *job,
                               enum status (*visit)(struct gmem_job *job, uint64_t offset, void *host,
                                                    struct error *error),
                               void *host, struct error *error) {
    struct gmem_part part;
    enum status status = STATUS_OK;
    for (uint64_t k = 0; status == STATUS_OK && gmem_next_part(job, k, &part); k++) {
        for (uint64_t i = part.first; status == STATUS_OK && i < part.end; i++) {
            status = visit(job, scatter_offset(job, i), host, error);
        }
    }
    return status;
}

static enum status poison_one(struct gmem_job *job, uint64_t offset, void *host, struct error *error) {
    (void)host;
    const struct gmem_buffers *buffers = job->run->state;
    return device_poison(run_device(job->run), buffers->destination + offset, job->layout.width_bytes, error);
}

static enum status poison(struct gmem_job *job, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    return run_info(job->run)->simulated_blocks
               ? each_stored(job, poison_one, NULL, error)
               : device_poison(run_device(job->run), buffers->destination, buffers->bytes, error);
}

static void source_element(const struct gmem_job *job, uint64_t i, uint8_t bytes[16]) {
    const uint64_t position = gmem_index_slot(&job->index[0], i) * job->layout.width_bytes;
    const uint64_t words[2] = {source_word(job, position / 8), source_word(job, position / 8 + 1)};
    memcpy(bytes, (const uint8_t *)words + position % 8, job->layout.width_bytes);
}

static void stored_element(const struct gmem_job *job, uint64_t i, uint8_t bytes[16]) {
    if (job->layout.kernel->reads > 0) {
        source_element(job, i, bytes);
        return;
    }
    const uint64_t low = pattern64(job->run->settings->seed + i), words[2] = {low, ~low};
    memcpy(bytes, words, sizeof words);
}

static uint32_t expected_sum(const struct gmem_job *job) {
    struct gmem_part part;
    uint32_t sum = 0;
    for (uint64_t k = 0; gmem_next_part(job, k, &part); k++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (uint64_t i = part.first; i < part.end; i++) {
            uint8_t bytes[16] = {0};
            uint32_t parts[4];
            source_element(job, i, bytes);
            memcpy(parts, bytes, sizeof parts);
            sum += (parts[0] ^ parts[1] ^ parts[2] ^ parts[3]) * (2 * (uint32_t)i + 1);
        }
    }
    return sum;
}

static enum status check_sum(struct gmem_job *job, bool *right, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    uint64_t sum;
    uint32_t expected;
    TRY(gmem_sink_total(run_device(job->run), job->layout.kernel, buffers->sink, buffers->sink_bytes, &sum, error));
    if (gmem_indexed_on_device(job)) {
        TRY(gmem_indexed_expect_sum(job, &expected, error));
    } else {
        expected = expected_sum(job);
    }
    *right = (uint32_t)sum == expected;
    return STATUS_OK;
}

static enum status fetch_one(struct gmem_job *job, uint64_t offset, void *host, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    return device_copy_to_host(run_device(job->run), (uint8_t *)host + offset, buffers->destination + offset,
                               job->layout.width_bytes, error);
}

static enum status fetch(struct gmem_job *job, uint8_t *host, struct error *error) {
    const struct gmem_buffers *buffers = job->run->state;
    if (run_info(job->run)->simulated_blocks) {
        return each_stored(job, fetch_one, host, error);
    }
    return device_copy_to_host(run_device(job->run), host, buffers->destination,
                               job->layout.slots * job->layout.width_bytes, error);
}

// Marks the elements that hold what one of their sources stores. If several stores share an address, any of them may be
// the last.
static void mark_right(const struct gmem_job *job, const struct gmem_part *part, const uint8_t *host, uint8_t *marks) {
    const uint64_t width = job->layout.width_bytes;
#pragma omp parallel for schedule(static)
    for (uint64_t i = part->first; i < part->end; i++) {
        uint8_t bytes[16];
        const uint64_t offset = scatter_offset(job, i);
        stored_element(job, i, bytes);
        if (memcmp(host + offset, bytes, width) == 0) {
            __atomic_store_n(&marks[offset / width], 1, __ATOMIC_RELAXED);
        }
    }
}

static uint64_t unmarked(const struct gmem_job *job, const struct gmem_part *part, const uint8_t *marks) {
    uint64_t wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (uint64_t i = part->first; i < part->end; i++) {
        wrong += !marks[scatter_offset(job, i) / job->layout.width_bytes];
    }
    return wrong;
}

// Elements that receive no store must still hold poison.
static uint64_t wrong_in_gaps(const struct gmem_job *job, const uint8_t *host, const uint8_t *marks) {
    const uint64_t width = job->layout.width_bytes;
    uint64_t wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (uint64_t at = 0; at < job->layout.slots * width; at++) {
        wrong += !marks[at / width] && host[at] != DEVICE_POISON;
    }
    return wrong;
}

static uint64_t wrong_slots(const struct gmem_job *job, const uint8_t *host, uint8_t *marks) {
    struct gmem_part part;
    uint64_t wrong = 0;
    for (uint64_t k = 0; gmem_next_part(job, k, &part); k++) {
        mark_right(job, &part, host, marks);
    }
    for (uint64_t k = 0; gmem_next_part(job, k, &part); k++) {
        wrong += unmarked(job, &part, marks);
    }
    return run_info(job->run)->simulated_blocks ? wrong : wrong + wrong_in_gaps(job, host, marks);
}

static enum status check(void *context, bool *right, struct error *error) {
    struct gmem_job *job = context;
    if (job->layout.kernel->writes == 0) {
        return check_sum(job, right, error);
    }
    if (gmem_indexed_on_device(job)) {
        return gmem_indexed_check_destination(job, right, error);
    }
    uint8_t *host = calloc(job->layout.slots, job->layout.width_bytes), *marks = calloc(job->layout.slots, 1);
    enum status status = host && marks ? fetch(job, host, error)
                                       : error_set(error, STATUS_FAILED, "out of memory: give fewer --elements");
    *right = status == STATUS_OK && wrong_slots(job, host, marks) == 0;
    free(host);
    free(marks);
    return status;
}

const struct gmem_family gmem_indexed = {&indexed_source, fill, poison, check};
