// loaded-latency: the latency of a chase through memory during traffic.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/row.h"
#include "levels/caches.h"
#include "levels/levels_cpu.h"
#include "levels/levels_detail.h"

enum {
    WIDTH = 16,
    ITEMS = 4,
    THREADS = 512,
    UNROLL = 32,
    ROUNDS = 512,
    CPU_ROUNDS = 2048,    // long compared with what interrupts take
    LAUNCHES = 7,         // the median of these counts
    BLOCKS_A_UNIT = 3,    // of traffic: a unit holds them all at once
    STATE_WORDS = 6,      // as in loaded.cu
    MEMORY_MULTIPLE = 16, // footprint in last-level caches
    ARGUMENTS = 7,        // the last one is for the CPU
    GPU_CHUNK_BYTES = WIDTH * ITEMS * THREADS,
    CHUNKS = 8, // touched by a block of traffic between two reads of the flag
};
static const double CPU_TICKS_MHZ = 1000; // loaded_cpu.c counts nanoseconds
static const uint64_t UNKNOWN_FOOTPRINT = UINT64_C(2) << 30;

KERNEL_SOURCE(source, levels_loaded_cu, "levels/loaded.cu");

// What one point needs.
struct job {
    struct loaded *loaded;
    uint32_t blocks; // of traffic, or threads of a CPU
    uint32_t percent, writes;
    bool right;
    double latency_ns[LAUNCHES], latency_cycles[LAUNCHES], bandwidth_gb_s[LAUNCHES];
};

static uint32_t rounds_of(const struct device_info *info) {
    return device_is_cpu(info) ? CPU_ROUNDS : ROUNDS;
}

static uint64_t chunk_bytes(const struct device_info *info) {
    return device_is_cpu(info) ? LOADED_CPU_CHUNK_BYTES : GPU_CHUNK_BYTES;
}

// Blocks that a GPU's units hold at once, or threads of a CPU; one of them chases.
static uint32_t most_blocks(const struct device_info *info) {
    return (device_is_cpu(info) ? 1 : BLOCKS_A_UNIT) * info->compute_units;
}

enum status levels_supports_loaded(const struct device_info *info, const char *variant, struct error *error) {
    return most_blocks(info) > 1
               ? STATUS_OK
               : error_set(error, STATUS_NO_DEVICE,
                           "%s has one thread, and traffic needs another: leave out --variant %s", info->spec, variant);
}

static uint64_t footprint_of(const struct run *run, const struct point *point) {
    const uint64_t cache = device_cache_bytes_max(run_info(run));
    const uint64_t usual = cache ? MEMORY_MULTIPLE * cache : UNKNOWN_FOOTPRINT;
    return point->values[LEVELS_FOOTPRINT] ? point->values[LEVELS_FOOTPRINT] : usual;
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    const struct device_info *info = run_info(run);
    const uint64_t footprint = footprint_of(run, point), most = device_free_bytes(info) / 2;
    if (footprint > most || footprint < GPU_CHUNK_BYTES) {
        return error_set(error, STATUS_USAGE, "--footprint %llu: give %d to %llu bytes", (unsigned long long)footprint,
                         GPU_CHUNK_BYTES, (unsigned long long)most);
    }
    return STATUS_OK;
}

static void cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    static const double LOAD_S = 500e-9;
    cost->make_bytes = 2 * (double)footprint_of(run, point);
    cost->prepare_s = (double)(LAUNCHES + 1) * (double)rounds_of(run_info(run)) * (double)UNROLL * LOAD_S;
}

static enum status open_loaded(struct loaded *loaded, struct error *error) {
    struct device *device = run_device(loaded->run);
    const struct kernel_request request = {.source = &source,
                                           .entry = "chase_loaded",
                                           KERNEL_CONSTANTS({"WIDTH", WIDTH}, {"ITEMS", ITEMS}, {"THREADS", THREADS},
                                                            {"UNROLL", UNROLL}, {"CHUNKS", CHUNKS}),
                                           .native = levels_cpu_chase_loaded};
    TRY(chase_open(&loaded->chase, loaded->run->bench_device, &chase_of_loads, MEMORY_DEVICE, loaded->memory_bytes,
                   error));
    TRY(device_build(device, &request, &loaded->kernel, error));
    TRY(device_allocate(device, loaded->memory_bytes, &loaded->memory, error));
    TRY(device_allocate(device, STATE_WORDS * sizeof(uint64_t), &loaded->state, error));
    TRY(device_allocate(device, most_blocks(&device->info) * sizeof(uint64_t), &loaded->touched, error));
    return bench_device_fill_random(loaded->run->bench_device, loaded->memory, loaded->memory_bytes,
                                    loaded->run->settings->seed, error);
}

static void finish(struct run *run) {
    struct loaded *loaded = run->state;
    struct device *device = run_device(run);
    DEVICE_RELEASE(device, loaded->memory, loaded->state, loaded->touched);
    device_discard(device, loaded->kernel);
    chase_close(&loaded->chase);
    *loaded = (struct loaded){0};
}

static struct device *device_of(const struct job *job) {
    return run_device(job->loaded->run);
}

static enum status launch(const struct job *job, struct error *error) {
    const struct loaded *loaded = job->loaded;
    struct device *device = device_of(job);
    const bool cpu = device_is_cpu(&device->info);
    const struct argument arguments[ARGUMENTS] = {
        argument_pointer(loaded->state),
        argument_pointer(loaded->memory),
        argument_u32((uint32_t)(loaded->memory_bytes / chunk_bytes(&device->info))),
        argument_pointer(loaded->touched),
        argument_u32(rounds_of(&device->info)),
        argument_u32(job->writes),
        argument_u32(job->percent)};
    const struct launch launch = {.grid = {1 + job->blocks, 1, 1},
                                  .block = {cpu ? 1 : THREADS, 1, 1},
                                  .arguments = arguments,
                                  .argument_count = cpu ? ARGUMENTS : ARGUMENTS - 1};
    return device_launch(device, loaded->kernel, &launch, error);
}

// Bytes moved by the traffic while the chase ran.
static enum status read_traffic(const struct job *job, double *bytes, struct error *error) {
    struct device *device = device_of(job);
    uint64_t *touched = memory_zeros(job->blocks, sizeof *touched);
    const enum status status =
        device_copy_to_host(device, touched, job->loaded->touched, job->blocks * sizeof *touched, error);
    *bytes = 0;
    for (uint32_t i = 0; i < job->blocks && status == STATUS_OK; i++) {
        *bytes += (double)touched[i] * (double)chunk_bytes(&device->info);
    }
    free(touched);
    return status;
}

// Where the chase is after so many steps.
static uint64_t place_of(const struct loaded *loaded) {
    return loaded->chase.memory + chain_offset(&loaded->chase.chain, loaded->visited);
}

static enum status take_sample(struct job *job, size_t index, struct error *error) {
    struct loaded *loaded = job->loaded;
    struct device *device = device_of(job);
    const struct device_info *info = &device->info;
    uint64_t state[STATE_WORDS] = {place_of(loaded)};
    double bytes = 0;
    TRY(device_copy_to_device(device, loaded->state, state, sizeof state, error));
    TRY(device_fill(device, loaded->touched, 0, most_blocks(info) * sizeof(uint64_t), error));
    TRY(launch(job, error));
    TRY(device_copy_to_host(device, state, loaded->state, sizeof state, error));
    TRY(read_traffic(job, &bytes, error));
    const double steps = (double)rounds_of(info) * (double)UNROLL;
    const double nanoseconds = (double)state[2] * 1e3 / (device_is_cpu(info) ? CPU_TICKS_MHZ : info->time_counter_mhz);
    loaded->visited += (uint64_t)rounds_of(info) * UNROLL;
    job->right &= state[3] == place_of(loaded);
    job->latency_ns[index] = nanoseconds / steps;
    job->latency_cycles[index] = state[1] ? (double)state[1] / steps : NAN;
    job->bandwidth_gb_s[index] = bytes / nanoseconds;
    return STATUS_OK;
}

static const char *level_of(const struct loaded *loaded) {
    const struct device_info *info = run_info(loaded->run);
    const double units = info->compute_units;
    const struct footprint footprint = {
        .unit_bytes = (double)loaded->memory_bytes / units, .units = info->compute_units, .streamed = true};
    return caches_answer(info, &footprint).level;
}

static struct row row_of(struct job *job) {
    const struct loaded *loaded = job->loaded;
    struct row row = run_row(loaded->run);
    snprintf(row.op, sizeof row.op, "%s", job->writes == 0 ? "read" : job->writes == 4 ? "write" : "read+write");
    snprintf(row.level, sizeof row.level, "%s", level_of(loaded));
    if (!device_is_cpu(run_info(loaded->run))) {
        row_format_dimensions(row.grid, (struct dimensions){1 + job->blocks, 1, 1});
        row_format_dimensions(row.block, (struct dimensions){THREADS, 1, 1});
    }
    row.footprint_bytes = loaded->memory_bytes;
    row.traffic_pct = job->percent;
    row.samples = LAUNCHES;
    row.latency_ns = statistics_of(job->latency_ns, LAUNCHES).median;
    row.latency_cycles = statistics_of(job->latency_cycles, LAUNCHES).median;
    row.bandwidth_gb_s = statistics_of(job->bandwidth_gb_s, LAUNCHES).median;
    row.peak_pct = 100 * row.bandwidth_gb_s / row.peak_gb_s;
    row_judge(&row, levels_place_row(loaded->run, &row), verification_of(job->right));
    return row;
}

static enum status measure_job(struct job *job, struct error *error) {
    for (size_t i = 0; i <= LAUNCHES; i++) { // the first launch loads code, so the last one takes its place
        TRY(take_sample(job, i % LAUNCHES, error));
    }
    const struct row row = row_of(job);
    return run_emit(job->loaded->run, &row, error);
}

// On a GPU this percentage of the blocks makes traffic. On a CPU all other threads do, at this percentage of their
// rate.
static uint32_t traffic_blocks(const struct device_info *info, uint64_t percent) {
    const uint64_t most = most_blocks(info) - 1;
    return (uint32_t)(device_is_cpu(info) ? (percent > 0 ? most : 0) : most * percent / 100);
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    struct loaded *loaded = run->state;
    const uint64_t bytes = footprint_of(run, point);
    const struct chain chain = chain_make(bytes, levels_line_bytes(run, point), 0, run->settings->seed);
    struct job job = {.loaded = loaded,
                      .blocks = traffic_blocks(run_info(run), point->values[LEVELS_TRAFFIC]),
                      .percent = (uint32_t)point->values[LEVELS_TRAFFIC],
                      .writes = (uint32_t)point->values[LEVELS_WRITES],
                      .right = true};
    bool warm;
    if (loaded->memory_bytes != bytes) {
        finish(run);
        *loaded = (struct loaded){.run = run, .memory_bytes = bytes};
        TRY(open_loaded(loaded, error));
        TRY(chase_prepare(&loaded->chase, &chain, &warm, error));
        loaded->visited = loaded->chase.visited; // the cache holds what has been visited
    }
    return measure_job(&job, error);
}

TABLE(loaded, COLUMN(device), COLUMN(variant), COLUMN_WIDE(op, 10), COLUMN(traffic_pct), COLUMN(bandwidth_gb_s),
      COLUMN(peak_pct), COLUMN(latency_ns), COLUMN(interval_pct), COLUMN(verdict));

const struct variant_kind levels_loaded = {
    .table = loaded, .check = check, .cost = cost, .measure = measure_point, .finish = finish};
