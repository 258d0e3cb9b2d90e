#include "bench/bench_device.h"

#include <math.h>
#include <stdlib.h>

#include "device/cpu/host.h"
#include "util/clock.h"
#include "util/random.h"
#include "util/whole.h"

// ---- The harness's kernels in C, for the CPU (bench/harness.cu says what each does) ----

static void harness_empty(const struct native_call *call) {
    (void)call;
}

static void harness_flush_cache(const struct native_call *call) {
    uint64_t *words = native_pointer(call, 0);
    const uint64_t count = native_u64(call, 1);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
        words[i] += 1;
    }
}

static void harness_probe_read(const struct native_call *call) {
    const uint64_t *words = native_pointer(call, 0);
    const uint64_t count = native_u64(call, 1);
    uint64_t checksum = 0;
#pragma omp parallel for schedule(static) reduction(^ : checksum)
    for (uint64_t i = 0; i < count; i++) {
        checksum ^= words[i];
    }
    *(uint64_t *)native_pointer(call, 2) = checksum;
}

static void harness_fill_random(const struct native_call *call) {
    uint64_t *words = native_pointer(call, 0);
    const uint64_t count = native_u64(call, 1), seed = native_u64(call, 2);
    const uint64_t keep = native_u64(call, 3), set = native_u64(call, 4);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
        words[i] = (mix64(seed + i) & keep) | set;
    }
}

enum {
    HARNESS_BLOCK = 256,
    QUEUE_NS = 10000,      // longer than a host takes to queue a launch: 2.9 us in results/h200/launches-queued.csv
    HOLD_NS_MAX = 4000000, // if queueing takes longer, the host waits for the device meanwhile
    OVERHEAD_FEW = 4,
    OVERHEAD_MANY = HOLD_NS_MAX / QUEUE_NS,
    PROBE_READS = 5,
};
static const double CLOCK_NS = 100e3;   // short against a sample, long against the timer's tick
static const double OVERHEAD_NS = 10e6; // long enough; racecheck makes a launch last milliseconds
static const uint64_t UNKNOWN_CACHE_BYTES = UINT64_C(256) << 20;

KERNEL_SOURCE(harness_source, bench_harness_cu, "bench/harness.cu");

static enum status build(struct bench_device *b, const char *entry, native_kernel *native, struct kernel **kernel,
                         struct error *error) {
    struct kernel_request request = {.source = &harness_source, .entry = entry, .native = native};
    return device_build(b->device, &request, kernel, error);
}

// A grid that fills the device, for kernels whose threads stride over the data.
static struct dimensions filling_grid(const struct bench_device *b) {
    return (struct dimensions){b->device->info.compute_units ? b->device->info.compute_units * 8 : 1024, 1, 1};
}

enum status bench_device_run(struct bench_device *b, const struct kernel_request *request, const struct launch *launch,
                             struct error *error) {
    struct kernel *kernel;
    TRY(device_build(b->device, request, &kernel, error));
    enum status status = device_launch(b->device, kernel, launch, error);
    THEN(status, device_synchronize(b->device, error));
    device_discard(b->device, kernel);
    return status;
}

// Launches the clock's kernel, which lasts this long.
static enum status count_cycles(struct bench_device *b, double nanoseconds, struct error *error) {
    const uint64_t ticks = (uint64_t)(nanoseconds * b->device->info.time_counter_mhz / 1e3);
    const struct launch launch = {.grid = {1, 1, 1},
                                  .block = {1, 1, 1},
                                  LAUNCH_ARGUMENTS(argument_pointer(b->clock_result), argument_u64(ticks))};
    return device_launch(b->device, b->clock_kernel, &launch, error);
}

enum status bench_device_hold(struct bench_device *b, double nanoseconds, struct error *error) {
    return b->clock_kernel ? count_cycles(b, fmin(nanoseconds, HOLD_NS_MAX), error) : STATUS_OK;
}

enum status bench_device_hold_for(struct bench_device *b, uint32_t launches, struct error *error) {
    return bench_device_hold(b, (double)((uint64_t)launches * QUEUE_NS), error);
}

// The launches are queued before the first begins.
static enum status time_launches(struct bench_device *b, struct kernel *kernel, const struct launch *launch,
                                 uint32_t launches, double *nanoseconds, struct error *error) {
    TRY(bench_device_hold_for(b, launches, error));
    TRY(device_event_record(b->device, b->start, error));
    for (uint32_t i = 0; i < launches; i++) {
        TRY(device_launch(b->device, kernel, launch, error));
    }
    TRY(device_event_record(b->device, b->stop, error));
    TRY(device_synchronize(b->device, error));
    TRY(device_event_elapsed(b->device, b->start, b->stop, nanoseconds, error));
    *nanoseconds /= launches;
    return STATUS_OK;
}

enum status bench_device_time(struct bench_device *b, struct kernel *kernel, const struct launch *launch,
                              double *nanoseconds, struct error *error) {
    return time_launches(b, kernel, launch, 1, nanoseconds, error);
}

static enum status measure_launch_overhead(struct bench_device *b, struct error *error) {
    struct kernel *empty;
    enum status status = STATUS_OK;
    TRY(build(b, "empty", harness_empty, &empty, error));
    const struct launch launch = {.grid = {1, 1, 1}, .block = {HARNESS_BLOCK, 1, 1}};
    double taken_ns = 0; // by the last launches, which warm up for ten times as many
    for (uint32_t n = OVERHEAD_FEW; n <= OVERHEAD_MANY && taken_ns < OVERHEAD_NS && status == STATUS_OK; n *= 10) {
        status = time_launches(b, empty, &launch, n, &b->launch_overhead_ns, error);
        taken_ns = n * b->launch_overhead_ns;
    }
    device_discard(b->device, empty);
    return status;
}

static enum status prepare_clock(struct bench_device *b, struct error *error) {
    b->expected_clock_mhz = b->device->info.clock_mhz;
    if (device_is_cpu(&b->device->info)) {
        b->expected_clock_mhz = cpu_clock_mhz();
        return STATUS_OK;
    }
    if (b->device->info.time_counter_mhz <= 0) {
        return STATUS_OK;
    }
    TRY(build(b, "measure_clock", NULL, &b->clock_kernel, error));
    return device_allocate(b->device, 2 * sizeof(uint64_t), &b->clock_result, error);
}

enum status bench_device_clock(struct bench_device *b, double *mhz, struct error *error) {
    *mhz = NAN;
    if (device_is_cpu(&b->device->info)) {
        *mhz = cpu_clock_mhz();
        return STATUS_OK;
    }
    if (!b->clock_kernel) {
        return STATUS_OK;
    }
    uint64_t result[2] = {0, 0};
    TRY(count_cycles(b, CLOCK_NS, error));
    TRY(device_copy_to_host(b->device, result, b->clock_result, sizeof result, error));
    if (result[1] > 0) {
        *mhz = (double)result[0] / (double)result[1] * b->device->info.time_counter_mhz;
    }
    return STATUS_OK;
}

double bench_device_throttled_mhz(const struct bench_device *b) {
    static const double THROTTLED = 0.75; // of the expected clock
    return THROTTLED * b->expected_clock_mhz;
}

static uint64_t cache_bytes(const struct bench_device *b) {
    uint64_t bytes = b->device->info.last_level_cache_bytes;
    return bytes ? bytes : UNKNOWN_CACHE_BYTES;
}

enum status bench_device_flush(struct bench_device *b, struct error *error) {
    if (!b->flush_buffer) {
        uint64_t bytes = 4 * cache_bytes(b);
        b->flush_words = bytes / sizeof(uint64_t);
        TRY(device_allocate(b->device, bytes, &b->flush_buffer, error));
        TRY(bench_device_fill_random(b, b->flush_buffer, bytes, 0, error));
    }
    if (!b->flush_kernel) {
        TRY(build(b, "flush_cache", harness_flush_cache, &b->flush_kernel, error));
    }
    const struct launch launch = {.grid = filling_grid(b),
                                  .block = {HARNESS_BLOCK, 1, 1},
                                  LAUNCH_ARGUMENTS(argument_pointer(b->flush_buffer), argument_u64(b->flush_words))};
    return device_launch(b->device, b->flush_kernel, &launch, error);
}

// Times a few reads of one buffer, each after a flush or directly after another read, and keeps the fastest.
static enum status time_probe_read(struct bench_device *b, struct kernel *kernel, const struct launch *launch,
                                   bool flushed, double *best, struct error *error) {
    *best = INFINITY;
    for (int i = 0; i < PROBE_READS; i++) {
        double nanoseconds;
        if (flushed) {
            TRY(bench_device_flush(b, error));
        }
        TRY(bench_device_time(b, kernel, launch, &nanoseconds, error));
        *best = fmin(*best, nanoseconds);
    }
    return STATUS_OK;
}

static enum status compare_probe_reads(struct bench_device *b, uint64_t words, uint64_t count, uint64_t sink,
                                       struct error *error) {
    struct kernel *kernel;
    TRY(build(b, "probe_read", harness_probe_read, &kernel, error));
    const struct launch launch = {
        .grid = filling_grid(b),
        .block = {HARNESS_BLOCK, 1, 1},
        LAUNCH_ARGUMENTS(argument_pointer(words), argument_u64(count), argument_pointer(sink))};
    double cached = 0, flushed = 0;
    enum status status = time_probe_read(b, kernel, &launch, false, &cached, error);
    THEN(status, time_probe_read(b, kernel, &launch, true, &flushed, error));
    if (status == STATUS_OK && cached > 0) {
        b->flush_probe_ratio = flushed / cached;
    }
    device_discard(b->device, kernel);
    return status;
}

// Shows whether the flush works: a buffer half as large as the cache then takes longer to read after a flush than
// directly after another read.
static enum status check_flush(struct bench_device *b, struct error *error) {
    uint64_t bytes = cache_bytes(b) / 2 / sizeof(uint64_t) * sizeof(uint64_t);
    uint64_t sink_bytes = (uint64_t)filling_grid(b).x * HARNESS_BLOCK * sizeof(uint64_t);
    uint64_t words = 0;
    uint64_t sink = 0;
    enum status status = device_allocate(b->device, bytes, &words, error);
    THEN(status, device_allocate(b->device, sink_bytes, &sink, error));
    THEN(status, bench_device_fill_random(b, words, bytes, 1, error));
    THEN(status, compare_probe_reads(b, words, bytes / sizeof(uint64_t), sink, error));
    device_release(b->device, sink);
    device_release(b->device, words);
    return status;
}

// Simulated lanes are slow, so the host makes their data, a piece at a time.
static enum status fill_from_host(struct bench_device *b, uint64_t address, uint64_t words, uint64_t seed,
                                  uint64_t keep, uint64_t set, struct error *error) {
    enum {
        PIECE = 1 << 16
    };
    uint64_t *piece = memory_zeros(smaller(words, PIECE), sizeof *piece);
    enum status status = STATUS_OK;
    for (uint64_t done = 0; done < words && status == STATUS_OK; done += PIECE) {
        uint64_t count = words - done < PIECE ? words - done : PIECE;
        for (uint64_t i = 0; i < count; i++) {
            piece[i] = (mix64(seed + done + i) & keep) | set;
        }
        status = device_copy_to_device(b->device, address + done * sizeof *piece, piece, count * sizeof *piece, error);
    }
    free(piece);
    return status;
}

enum status bench_device_fill_random(struct bench_device *b, uint64_t address, uint64_t bytes, uint64_t seed,
                                     struct error *error) {
    return bench_device_fill_masked(b, address, bytes, seed, UINT64_MAX, 0, error);
}

enum status bench_device_fill_masked(struct bench_device *b, uint64_t address, uint64_t bytes, uint64_t seed,
                                     uint64_t keep, uint64_t set, struct error *error) {
    uint64_t words = bytes / sizeof(uint64_t);
    if (b->device->info.predicted) {
        return fill_from_host(b, address, words, seed, keep, set, error);
    }
    const struct launch launch = {.grid = filling_grid(b),
                                  .block = {HARNESS_BLOCK, 1, 1},
                                  LAUNCH_ARGUMENTS(argument_pointer(address), argument_u64(words), argument_u64(seed),
                                                   argument_u64(keep), argument_u64(set))};
    if (!b->fill_kernel) {
        TRY(build(b, "fill_random", harness_fill_random, &b->fill_kernel, error));
    }
    TRY(device_launch(b->device, b->fill_kernel, &launch, error));
    return device_synchronize(b->device, error);
}

static enum status calibrate(struct bench_device *b, const struct settings *settings, struct error *error) {
    TRY(device_event_create(b->device, &b->start, error));
    TRY(device_event_create(b->device, &b->stop, error));
    if (b->device->info.predicted) {
        return STATUS_OK;
    }
    TRY(prepare_clock(b, error));
    TRY(measure_launch_overhead(b, error));
    return settings->cold ? check_flush(b, error) : STATUS_OK;
}

enum device_via bench_device_via(const struct bench_device *b, const struct settings *settings) {
    return settings->via ? device_via_named(settings->via) : device_usual_via(b->device);
}

enum status bench_device_open(struct bench_device *b, const char *spec, const struct settings *settings,
                              struct error *error) {
    *b = (struct bench_device){.launch_overhead_ns = NAN, .flush_probe_ratio = NAN, .footprint_max = UINT64_MAX};
    TRY(device_open(spec, &b->device, error));
    device_simulate_blocks(b->device, settings->sim_blocks);
    device_show_progress(b->device, !settings->quiet);
    device_run_via(b->device, bench_device_via(b, settings));
    if (settings->peak_gb_s > 0) {
        b->device->info.peak_gb_s = settings->peak_gb_s;
    }
    const enum status status = calibrate(b, settings, error);
    if (status != STATUS_OK) {
        bench_device_close(b);
    }
    return status;
}

void bench_device_close(struct bench_device *b) {
    if (!b->device) {
        return;
    }
    device_discard(b->device, b->clock_kernel);
    device_discard(b->device, b->flush_kernel);
    device_discard(b->device, b->fill_kernel);
    device_release(b->device, b->clock_result);
    device_release(b->device, b->flush_buffer);
    device_event_destroy(b->device, b->start);
    device_event_destroy(b->device, b->stop);
    device_close(b->device);
    *b = (struct bench_device){0};
}

// ---- Rates of the CPU ----

enum {
    TRIES = 3,
    MEMORY_MULTIPLE = 8 // where there is less memory, footprints are small anyway
};
static const uint64_t BYTES = UINT64_C(32) << 20;
static const double POINT_SHARE = 0.02; // of the budget, for one default footprint

// Keeps the shortest of several tries, because other programs can only slow one down.
static void keep_least(double *least, double seconds) {
    *least = *least > 0 ? fmin(*least, seconds) : seconds;
}

static enum status try_once(struct bench_device *b, double *fill_s, struct error *error) {
    const uint64_t half = BYTES / 2;
    uint64_t address = 0;
    const double start = clock_s();
    TRY(device_allocate(b->device, BYTES, &address, error));
    enum status status = bench_device_fill_random(b, address, BYTES, 0, error);
    const double made = clock_s();
    THEN(status, device_poison(b->device, address, BYTES, error));
    const double filled = clock_s();
    THEN(status, device_copy_on_device(b->device, address, address + half, half, error));
    keep_least(&b->rates.copy_s, (clock_s() - filled) / (double)half);
    keep_least(&b->rates.make_s, (made - start) / (double)BYTES);
    keep_least(fill_s, (filled - made) / (double)BYTES);
    device_release(b->device, address);
    return status;
}

void rates_note_made(struct bench_device *b, double bytes, double seconds) {
    if (b->rates.make_s > 0) {
        b->rates.make_s = fmax(b->rates.make_s, seconds / bytes);
    }
}

enum status rates_measure(struct bench_device *b, double budget_s, struct error *error) {
    b->footprint_max = UINT64_MAX;
    if (!device_is_cpu(&b->device->info) || isinf(budget_s) ||
        device_free_bytes(&b->device->info) < MEMORY_MULTIPLE * BYTES) {
        return STATUS_OK;
    }
    double fill_s = 0;
    for (int i = 0; i < TRIES; i++) {
        TRY(try_once(b, &fill_s, error));
    }
    b->rates.handle_s = fill_s + 2 * b->rates.copy_s; // a check copies to the host and reads what it has copied
    b->footprint_max = (uint64_t)(POINT_SHARE * budget_s / (b->rates.make_s + b->rates.handle_s));
    return STATUS_OK;
}
