// loaded-latency: the latency of a chase through memory while other blocks read and write memory.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/verdict.h"
#include "levels/caches.h"
#include "levels/levels.h"
#include "util/embed.h"

EMBED_FILE(levels_loaded_cu, "levels/loaded.cu");

enum {
    WIDTH = 16,
    ITEMS = 4,
    THREADS = 512,
    UNROLL = 32,
    ROUNDS = 512,
    LAUNCHES = 7,         // the median of these counts
    BLOCKS_A_UNIT = 3,    // of traffic: a unit holds them all at once
    STATE_WORDS = 6,      // as in loaded.cu
    MEMORY_MULTIPLE = 16, // footprint in last-level caches
    ARGUMENTS = 6,
    CHUNKS = 8, // touched by a block of traffic between two reads of the flag
};
static const uint64_t UNKNOWN_FOOTPRINT = UINT64_C(2) << 30;

static const struct kernel_source source = {"levels/loaded.cu", levels_loaded_cu};

struct loaded {
    struct run *run;
    struct chase chase; // builds the chain; the kernel of this file follows it and checks the end
    struct kernel *kernel;
    uint64_t memory, state, touched; // device addresses
    uint64_t memory_bytes;
    uint32_t blocks; // of traffic
    uint64_t visited;
    bool right;
};

struct sample {
    double latency_ns, latency_cycles, bandwidth_gb_s;
};

static uint64_t footprint_of(const struct run *run, const struct point *point) {
    const uint64_t cache = levels_info(run)->last_level_cache_bytes;
    const uint64_t usual = cache ? MEMORY_MULTIPLE * cache : UNKNOWN_FOOTPRINT;
    return point->values[LEVELS_FOOTPRINT] ? point->values[LEVELS_FOOTPRINT] : usual;
}

enum status levels_check_loaded(const struct run *run, const struct point *point, struct error *error) {
    const uint64_t footprint = footprint_of(run, point), most = device_free_bytes(levels_info(run)) / 2;
    if (footprint > most || footprint < (uint64_t)WIDTH * ITEMS * THREADS) {
        return error_set(error, STATUS_USAGE, "--footprint %llu: give %d to %llu bytes", (unsigned long long)footprint,
                         WIDTH * ITEMS * THREADS, (unsigned long long)most);
    }
    return STATUS_OK;
}

static enum status open_loaded(struct loaded *loaded, struct error *error) {
    struct device *device = loaded->run->bench_device->device;
    const struct kernel_constant constants[] = {
        {"WIDTH", WIDTH}, {"ITEMS", ITEMS}, {"THREADS", THREADS}, {"UNROLL", UNROLL}, {"CHUNKS", CHUNKS}};
    const struct kernel_request request = {.source = &source,
                                           .entry = "chase_loaded",
                                           .constants = constants,
                                           .constant_count = sizeof constants / sizeof constants[0]};
    static const struct chase_kernel chase = {"chase", NULL, CHASE_MEMORY};
    const uint64_t units = device->info.compute_units;
    enum status status = chase_open(&loaded->chase, loaded->run->bench_device, &chase, loaded->memory_bytes, error);
    if (status == STATUS_OK) {
        status = device_build(device, &request, &loaded->kernel, error);
    }
    if (status == STATUS_OK) {
        status = device_allocate(device, loaded->memory_bytes, &loaded->memory, error);
    }
    if (status == STATUS_OK) {
        status = device_allocate(device, STATE_WORDS * sizeof(uint64_t), &loaded->state, error);
    }
    if (status == STATUS_OK) {
        status = device_allocate(device, BLOCKS_A_UNIT * units * sizeof(uint64_t), &loaded->touched, error);
    }
    return status == STATUS_OK ? bench_device_fill_random(loaded->run->bench_device, loaded->memory,
                                                          loaded->memory_bytes, loaded->run->settings->seed, error)
                               : status;
}

static void close_loaded(struct loaded *loaded) {
    struct device *device = loaded->run->bench_device->device;
    const uint64_t buffers[] = {loaded->memory, loaded->state, loaded->touched};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        if (buffers[i]) {
            device_release(device, buffers[i]);
        }
    }
    if (loaded->kernel) {
        device_discard(device, loaded->kernel);
    }
    chase_close(&loaded->chase);
}

static enum status launch(struct loaded *loaded, uint64_t writes, struct error *error) {
    struct device *device = loaded->run->bench_device->device;
    const struct argument arguments[ARGUMENTS] = {
        argument_pointer(loaded->state),
        argument_pointer(loaded->memory),
        argument_u32((uint32_t)(loaded->memory_bytes / (WIDTH * ITEMS * THREADS))),
        argument_pointer(loaded->touched),
        argument_u32(ROUNDS),
        argument_u32((uint32_t)writes)};
    const struct launch launch = {.grid = {1 + loaded->blocks, 1, 1},
                                  .block = {THREADS, 1, 1},
                                  .arguments = arguments,
                                  .argument_count = ARGUMENTS};
    return device_launch(device, loaded->kernel, &launch, error);
}

// Bytes that the blocks of traffic moved while the chase ran.
static enum status read_traffic(struct loaded *loaded, double *bytes, struct error *error) {
    struct device *device = loaded->run->bench_device->device;
    uint64_t *touched = calloc(loaded->blocks + 1, sizeof *touched);
    if (!touched) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    const enum status status =
        device_copy_to_host(device, touched, loaded->touched, loaded->blocks * sizeof *touched, error);
    *bytes = 0;
    for (uint32_t i = 0; i < loaded->blocks && status == STATUS_OK; i++) {
        *bytes += (double)touched[i] * (double)WIDTH * (double)ITEMS * (double)THREADS;
    }
    free(touched);
    return status;
}

static enum status take_sample(struct loaded *loaded, uint64_t writes, struct sample *sample, struct error *error) {
    struct device *device = loaded->run->bench_device->device;
    const uint64_t start = loaded->chase.memory + chain_offset(&loaded->chase.chain, loaded->visited);
    uint64_t state[STATE_WORDS] = {start};
    double bytes = 0;
    enum status status = device_copy_to_device(device, loaded->state, state, sizeof state, error);
    if (status == STATUS_OK) {
        status = launch(loaded, writes, error);
    }
    if (status == STATUS_OK) {
        status = device_copy_to_host(device, state, loaded->state, sizeof state, error);
    }
    if (status == STATUS_OK) {
        status = read_traffic(loaded, &bytes, error);
    }
    const double steps = (double)ROUNDS * (double)UNROLL,
                 nanoseconds = (double)state[2] * 1e3 / device->info.time_counter_mhz;
    loaded->visited += (uint64_t)ROUNDS * UNROLL;
    loaded->right &= state[3] == loaded->chase.memory + chain_offset(&loaded->chase.chain, loaded->visited);
    *sample = (struct sample){nanoseconds / steps, state[1] ? (double)state[1] / steps : NAN, bytes / nanoseconds};
    return status;
}

static double median_of(const struct sample *samples, size_t offset) {
    double values[LAUNCHES];
    for (size_t i = 0; i < LAUNCHES; i++) {
        values[i] = *(const double *)(const void *)((const char *)&samples[i] + offset);
    }
    return statistics_of(values, LAUNCHES).median;
}

static const char *level_of(const struct loaded *loaded) {
    const struct device_info *info = levels_info(loaded->run);
    const struct caches caches = caches_of(info);
    const double units = info->compute_units;
    const struct footprint footprint = {
        .unit_bytes = (double)loaded->memory_bytes / units, .units = info->compute_units, .streamed = true};
    return caches_answer(&caches, &footprint).level;
}

static enum status measure_loaded(struct loaded *loaded, const struct point *point, struct error *error) {
    const uint64_t writes = point->values[LEVELS_WRITES];
    struct sample samples[LAUNCHES] = {{0}};
    enum status status = STATUS_OK;
    for (int i = -1; i < LAUNCHES && status == STATUS_OK; i++) { // the first launch loads code
        status = take_sample(loaded, writes, &samples[i < 0 ? 0 : i], error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    struct row row = run_row(loaded->run);
    snprintf(row.op, sizeof row.op, "%s", writes == 0 ? "read" : writes == 4 ? "write" : "read+write");
    snprintf(row.level, sizeof row.level, "%s", level_of(loaded));
    row_format_dimensions(row.grid, (struct dimensions){1 + loaded->blocks, 1, 1});
    row_format_dimensions(row.block, (struct dimensions){THREADS, 1, 1});
    row.footprint_bytes = loaded->memory_bytes;
    row.samples = LAUNCHES;
    row.latency_ns = median_of(samples, offsetof(struct sample, latency_ns));
    row.latency_cycles = median_of(samples, offsetof(struct sample, latency_cycles));
    row.bandwidth_gb_s = median_of(samples, offsetof(struct sample, bandwidth_gb_s));
    row.peak_pct = 100 * row.bandwidth_gb_s / row.peak_gb_s;
    snprintf(row.verified, sizeof row.verified, "%s", loaded->right ? "yes" : "no");
    verdict_format(row.verdict, loaded->right ? VERDICT_OK : VERDICT_UNVERIFIED);
    return run_emit(loaded->run, &row, error);
}

enum status levels_measure_loaded(struct run *run, const struct point *point, struct error *error) {
    struct loaded *loaded = calloc(1, sizeof *loaded);
    if (!loaded) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    *loaded = (struct loaded){.run = run, .memory_bytes = footprint_of(run, point), .right = true};
    const uint64_t blocks = (uint64_t)BLOCKS_A_UNIT * levels_info(run)->compute_units - 1;
    loaded->blocks = (uint32_t)(blocks * point->values[LEVELS_TRAFFIC] / 100);
    const struct chain chain = chain_make(loaded->memory_bytes, levels_line_bytes(run, point), 0, run->settings->seed);
    bool warm;
    enum status status = open_loaded(loaded, error);
    if (status == STATUS_OK) {
        status = chase_prepare(&loaded->chase, &chain, &warm, error);
        loaded->visited = loaded->chase.visited; // the cache holds what has been visited
    }
    if (status == STATUS_OK) {
        status = measure_loaded(loaded, point, error);
    }
    close_loaded(loaded);
    free(loaded);
    return status;
}
