#include "levels/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "levels/levels_cpu.h"
#include "util/random.h"

enum {
    PIECES = 16, // number of checked pieces of a destination
    PIECE_BYTES = 256 << 10,
    WORD_BYTES = 16,
    ROUNDS_MAX = 1 << 24,
    LENGTHENINGS_MAX = 4,
};
// Long against a launch's start and end, and against the first turn, which fills an empty L1.
static const double LAUNCH_NS = 1e6, OWN_LAUNCH_NS = 5e6;
static const double LONGER = 1.2; // than that, so that a launch that is a little faster is long enough, too

KERNEL_SOURCE(source, levels_stream_cu, "levels/stream.cu");

const struct kernel_source *stream_source(void) {
    return &source;
}

static const char *const staged[] = {
    [STREAM_WORDS] = "staged_words", [STREAM_WORDS_PAST_L1] = "staged_words", [STREAM_BULK] = "staged_bulk"};

static const struct {
    const char *shared, *own; // entry points
    native_kernel *native;    // for `own`
} kernels[] = {
    [STREAM_READ] = {"stream_read", "unit_read", levels_cpu_unit_read},
    [STREAM_WRITE] = {"stream_write", "unit_write", levels_cpu_unit_write},
    [STREAM_COPY] = {"stream_copy", "unit_copy", levels_cpu_unit_copy},
};

static struct device *device_of(const struct streaming *stream) {
    return run_device(stream->run);
}

// A write leaves this value in word 0 and one more in each next word.
static uint64_t first_value(const struct streaming *stream) {
    return mix64(stream->run->settings->seed);
}

static uint64_t sum_count(const struct stream_plan *plan, const struct device_info *info) {
    return device_is_cpu(info) ? plan->blocks : (uint64_t)plan->blocks * plan->threads / info->warp_width;
}

// ---- Preparation ----

static enum status build(struct streaming *stream, struct error *error) {
    const struct stream_plan *plan = &stream->plan;
    struct kernel_constant constants[] = {
        {"WIDTH", plan->width_bytes}, {"ITEMS", plan->items}, {"THREADS", plan->threads}, {NULL, 0}, {NULL, 0}};
    size_t count = 3;
    if (plan->path) {
        constants[count++] = (struct kernel_constant){"STAGES", plan->stages};
        constants[count++] = (struct kernel_constant){"PAST_L1", plan->path == STREAM_WORDS_PAST_L1};
    } else if (plan->policy) {
        constants[count++] = (struct kernel_constant){"POLICY", plan->policy};
    }
    const struct kernel_request request = {.source = &source,
                                           .entry = plan->path  ? staged[plan->path]
                                                    : plan->own ? kernels[plan->operation].own
                                                                : kernels[plan->operation].shared,
                                           .constants = constants,
                                           .constant_count = count,
                                           .native = kernels[plan->operation].native};
    return device_build(device_of(stream), &request, &stream->kernel, error);
}

static enum status allocate(struct streaming *stream, struct error *error) {
    struct device *device = device_of(stream);
    const struct stream_plan *plan = &stream->plan;
    const uint64_t bytes = stream_buffer_bytes(plan);
    if (plan->operation != STREAM_WRITE) {
        TRY(device_allocate_kind(device, plan->memory, bytes, &stream->source, &stream->host_source, error));
        TRY(bench_device_fill_random(stream->run->bench_device, stream->source, bytes, stream->run->settings->seed,
                                     error));
    }
    if (plan->operation != STREAM_READ) {
        TRY(device_allocate_kind(device, plan->memory, bytes, &stream->destination, &stream->host_destination, error));
    }
    if (plan->operation == STREAM_READ) {
        const uint64_t sums = sum_count(plan, &device->info) * sizeof(uint32_t);
        TRY(device_allocate(device, sums, &stream->sums, error));
    }
    return STATUS_OK;
}

static struct flight flight_of(const struct stream_plan *plan) {
    static const enum flight_path paths[] = {FLIGHT_LOADS, FLIGHT_WORDS, FLIGHT_WORDS, FLIGHT_BULK};
    return (struct flight){.path = paths[plan->path],
                           .blocks = plan->blocks,
                           .block_threads = plan->threads,
                           .rounds = plan->rounds,
                           .word_bytes = plan->width_bytes,
                           .words = plan->items,
                           .stages = plan->stages ? plan->stages : 1,
                           .footprint_bytes = stream_footprint_bytes(plan)};
}

static void set_launch(struct streaming *stream) {
    const struct stream_plan *plan = &stream->plan;
    struct argument *at = stream->arguments;
    *at++ = plan->operation == STREAM_WRITE ? argument_pointer(stream->destination) : argument_pointer(stream->source);
    *at++ = plan->operation == STREAM_WRITE  ? argument_u64(first_value(stream))
            : plan->operation == STREAM_COPY ? argument_pointer(stream->destination)
                                             : argument_pointer(stream->sums);
    *at++ = argument_u32(plan->chunks);
    *at++ = argument_u32(plan->rounds);
    if (!plan->own) {
        *at++ = argument_u32(plan->group);
    }
    stream->launch = (struct launch){.grid = {plan->blocks, 1, 1},
                                     .block = {plan->threads, 1, 1},
                                     .dynamic_shared_bytes = (uint32_t)stream_shared_bytes(plan),
                                     .arguments = stream->arguments,
                                     .argument_count = (size_t)(at - stream->arguments),
                                     .cycle = {.cycled = plan->own      ? CYCLED_OWN
                                                         : plan->follow ? CYCLED_FOLLOWED
                                                         : plan->flight ? CYCLED_FLIGHT
                                                                        : CYCLED_SHARED,
                                               .chunk_bytes = stream_chunk_bytes(plan),
                                               .blocks = plan->gpu_blocks,
                                               .ns = LONGER * LAUNCH_NS,
                                               .flight = flight_of(plan)}};
}

// The shortest of some launches, because the first one loads code and touches pages. Other programs may disturb several
// of a CPU's, so a launch that seems long enough there is tried more often: one that is lengthened too little measures
// its own start.
static enum status time_launch(struct streaming *stream, double enough_ns, double *nanoseconds, struct error *error) {
    enum {
        TRIES = 2,
        CPU_TRIES = 8
    };
    const int most = device_is_cpu(&device_of(stream)->info) ? CPU_TRIES : TRIES;
    *nanoseconds = INFINITY;
    for (int i = 0; i < most && (i < TRIES || *nanoseconds >= enough_ns); i++) {
        double time = INFINITY;
        TRY(bench_device_time(stream->run->bench_device, stream->kernel, &stream->launch, &time, error));
        *nanoseconds = fmin(*nanoseconds, time);
    }
    return STATUS_OK;
}

// Adds rounds until a launch is long enough.
static enum status lengthen(struct streaming *stream, struct error *error) {
    const bool gpu = !device_is_cpu(&device_of(stream)->info);
    const double enough_ns = stream->plan.own && gpu ? OWN_LAUNCH_NS : LAUNCH_NS;
    double nanoseconds = 0;
    for (int i = 0; i < LENGTHENINGS_MAX; i++) {
        TRY(time_launch(stream, enough_ns, &nanoseconds, error));
        if (nanoseconds >= enough_ns || stream->plan.rounds >= ROUNDS_MAX) {
            break;
        }
        stream->plan.rounds =
            (uint32_t)fmin(ceil(LONGER * stream->plan.rounds * enough_ns / fmax(nanoseconds, 1)), ROUNDS_MAX);
        set_launch(stream);
    }
    return STATUS_OK;
}

// A point that is measured in several rounds keeps the length that it got in the first.
static enum status lengthen_once(struct streaming *stream, struct error *error) {
    struct series_list *kept = stream->run->settings->kept;
    struct series *series = kept ? series_list_coming(kept) : NULL;
    if (series && series->repeats > 0) {
        stream->plan.rounds = (uint32_t)series->repeats;
        set_launch(stream);
        return STATUS_OK;
    }
    TRY(lengthen(stream, error));
    if (series) {
        series->repeats = stream->plan.rounds;
    }
    return STATUS_OK;
}

enum status stream_open(struct streaming *stream, struct run *run, const struct stream_plan *plan,
                        struct error *error) {
    *stream = (struct streaming){.run = run, .plan = *plan};
    TRY(build(stream, error));
    TRY(allocate(stream, error));
    set_launch(stream);
    return plan->follow || run_info(run)->predicted ? STATUS_OK : lengthen_once(stream, error);
}

void stream_close(struct streaming *stream) {
    struct device *device = device_of(stream);
    device_release_kind(device, stream->source, stream->host_source);
    device_release_kind(device, stream->destination, stream->host_destination);
    device_release(device, stream->sums);
    device_discard(device, stream->kernel);
}

// ---- Launches and their result ----

static enum status poison(void *context, struct error *error) {
    struct streaming *stream = context;
    struct device *device = device_of(stream);
    if (stream->plan.operation == STREAM_READ) {
        const uint64_t bytes = sum_count(&stream->plan, &device->info) * sizeof(uint32_t);
        return device_poison(device, stream->sums, bytes, error);
    }
    return device_poison(device, stream->destination, stream_buffer_bytes(&stream->plan), error);
}

static enum status enqueue(void *context, struct error *error) {
    struct streaming *stream = context;
    return device_launch(device_of(stream), stream->kernel, &stream->launch, error);
}

// The sum of the 32-bit words of a word, as in the kernels.
static uint32_t summand(const struct stream_plan *plan, uint64_t seed, uint64_t word) {
    if (plan->width_bytes == WORD_BYTES) {
        const uint64_t low = mix64(seed + 2 * word), high = mix64(seed + 2 * word + 1);
        return (uint32_t)low + (uint32_t)(low >> 32) + (uint32_t)high + (uint32_t)(high >> 32);
    }
    const uint64_t at = word * plan->width_bytes; // 4 or 8 bytes
    const uint64_t eight = mix64(seed + at / 8);
    return plan->width_bytes == 8 ? (uint32_t)(eight ^ eight >> 32) : (uint32_t)(eight >> 8 * (at % 8));
}

static uint32_t expected_sum(const struct stream_plan *plan, uint64_t seed, const uint32_t *visits) {
    const uint64_t all_chunks = stream_buffer_bytes(plan) / stream_chunk_bytes(plan);
    const uint64_t chunk_words = stream_chunk_bytes(plan) / plan->width_bytes;
    uint32_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (uint64_t chunk = 0; chunk < all_chunks; chunk++) {
        uint32_t sum = 0;
        for (uint64_t word = 0; word < chunk_words; word++) {
            sum += summand(plan, seed, chunk * chunk_words + word);
        }
        total += sum * visits[chunk % plan->chunks];
    }
    return total;
}

enum status stream_total(struct device *device, uint64_t address, uint64_t count, uint32_t *total,
                         struct error *error) {
    uint32_t *sums = memory_zeros(count, sizeof *sums);
    *total = 0;
    const enum status status = device_copy_to_host(device, sums, address, count * sizeof *sums, error);
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        *total += sums[i];
    }
    free(sums);
    return status;
}

static enum status check_sums(struct streaming *stream, const uint32_t *visits, bool *right, struct error *error) {
    struct device *device = device_of(stream);
    uint32_t total;
    const enum status status =
        stream_total(device, stream->sums, sum_count(&stream->plan, &device->info), &total, error);
    *right = total == expected_sum(&stream->plan, stream->run->settings->seed, visits);
    return status;
}

// Whether 16-byte word `word` of a destination is right after a launch that touches it.
static bool word_is_right(const struct streaming *stream, uint64_t word, const uint64_t found[2]) {
    const uint64_t seed = stream->run->settings->seed;
    if (stream->plan.operation == STREAM_COPY) {
        return found[0] == mix64(seed + 2 * word) && found[1] == mix64(seed + 2 * word + 1);
    }
    const uint64_t value = first_value(stream) + word;
    return found[0] == value && found[1] == ~value;
}

static bool piece_is_right(const struct streaming *stream, const uint32_t *visits, uint64_t first_word,
                           const uint64_t (*words)[2], uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t chunk = (first_word + i) * WORD_BYTES / stream_chunk_bytes(&stream->plan);
        if (visits[chunk % stream->plan.chunks] > 0 && !word_is_right(stream, first_word + i, words[i])) {
            return false;
        }
    }
    return true;
}

// Checks evenly spaced pieces of the destination, including its first and last bytes.
static enum status check_destination(struct streaming *stream, const uint32_t *visits, bool *right,
                                     struct error *error) {
    struct device *device = device_of(stream);
    const uint64_t bytes = stream_buffer_bytes(&stream->plan);
    const uint64_t piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    uint64_t(*words)[2] = memory_zeros(1, piece);
    enum status status = STATUS_OK;
    *right = true;
    for (uint64_t i = 0; i < PIECES && status == STATUS_OK && *right; i++) {
        const uint64_t first = (bytes - piece) / WORD_BYTES * i / (PIECES - 1);
        status = device_copy_to_host(device, words, stream->destination + first * WORD_BYTES, piece, error);
        *right = status == STATUS_OK &&
                 piece_is_right(stream, visits, first, (const uint64_t(*)[2])words, piece / WORD_BYTES);
    }
    free(words);
    return status;
}

static enum status check_result(void *context, bool *right, struct error *error) {
    struct streaming *stream = context;
    uint32_t *visits = memory_zeros(stream->plan.chunks, sizeof *visits);
    stream_visits(&stream->plan, visits);
    const enum status status = stream->plan.operation == STREAM_READ ? check_sums(stream, visits, right, error)
                                                                     : check_destination(stream, visits, right, error);
    free(visits);
    return status;
}

struct trial stream_trial(struct streaming *stream) {
    return (struct trial){stream, poison, enqueue, check_result};
}
