// On a GPU, in-flight reads a stream whose launch has the wanted bytes in flight (levels/bandwidth.c). A CPU's
// prefetchers would add to such a stream, so there each thread follows several chains at once, with exactly one load
// per chain in flight.
#include "levels/levels_detail.h"

#include <stdio.h>
#include <stdlib.h>

#include "levels/levels_cpu.h"

enum {
    STEPS = 1 << 13,      // of each chain in one launch: long compared with waking the threads
    CACHE_MULTIPLE = 8,   // footprint in last-level caches: none keeps a line for a whole turn
    GPU_LOADS = 8,        // the default loads of a GPU's lane end here
    ELEMENTS_A_CHAIN = 8, // at least
};
static const uint64_t UNKNOWN_FOOTPRINT = UINT64_C(1) << 30;

// Several threads follow one chain from several positions at once.
struct job {
    struct run *run;
    const struct chase *chase; // which makes the chain
    uint32_t threads, loads;
    uint64_t *cursors; // where they are
    uint64_t visited;  // steps of each since the cursors were set
};

static uint64_t footprint_of(const struct run *run, const struct point *point) {
    const struct device_info *info = run_info(run);
    const uint64_t cache = device_cache_bytes_max(info);
    const uint64_t usual = cache ? CACHE_MULTIPLE * cache : UNKNOWN_FOOTPRINT;
    return point->values[LEVELS_FOOTPRINT] ? point->values[LEVELS_FOOTPRINT] : usual;
}

// ---- What can be measured ----

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    const struct device_info *info = run_info(run);
    if (!device_is_cpu(info)) {
        return levels_streams.check(run, point, error);
    }
    const uint64_t chains = point->values[LEVELS_WARPS] * point->values[LEVELS_LOADS];
    const uint64_t least = chains * ELEMENTS_A_CHAIN * levels_line_bytes(run, point);
    const uint64_t footprint = footprint_of(run, point), most = device_free_bytes(info);
    if (point->values[LEVELS_WARPS] > info->compute_units) {
        return error_set(error, STATUS_USAGE, "--warps %llu: are threads of a CPU, which has %u: give fewer",
                         (unsigned long long)point->values[LEVELS_WARPS], info->compute_units);
    }
    if (footprint > most || footprint < least) {
        return error_set(error, STATUS_USAGE, "--footprint %llu: give %llu to %llu bytes",
                         (unsigned long long)footprint, (unsigned long long)least, (unsigned long long)most);
    }
    return STATUS_OK;
}

static bool skip(const struct run *run, const struct point *point) {
    const struct device_info *info = run_info(run);
    const uint64_t warps = point->values[LEVELS_WARPS], loads = point->values[LEVELS_LOADS];
    if (device_is_cpu(info)) {
        return run->defaulted[LEVELS_WARPS] && warps > info->compute_units;
    }
    return (run->defaulted[LEVELS_LOADS] && loads > GPU_LOADS) || levels_skip_warps(run, point);
}

static void cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    static const double LOAD_S = 150e-9;
    if (!device_is_cpu(run_info(run))) {
        levels_streams.cost(run, point, cost);
        return;
    }
    cost->make_bytes = (double)footprint_of(run, point);
    cost->round_s = (double)STEPS * LOAD_S;
}

// ---- A CPU's point ----

static uint64_t cursor_count(const struct job *job) {
    return (uint64_t)job->threads * job->loads;
}

// A position after that many steps: all are evenly spaced on one cycle.
static uint64_t place_of(const struct job *job, uint64_t index, uint64_t steps) {
    const struct chain *chain = &job->chase->chain;
    return job->chase->memory + chain_offset(chain, chain->elements / cursor_count(job) * index + steps);
}

static enum status set_cursors(void *context, struct error *error) {
    struct job *job = context;
    (void)error;
    job->visited = 0;
    for (uint64_t i = 0; i < cursor_count(job); i++) {
        job->cursors[i] = place_of(job, i, 0);
    }
    return STATUS_OK;
}

// On the CPU the loops are called directly, because a kernel launched there would only wrap this call.
static enum status enqueue(void *context, struct error *error) {
    struct job *job = context;
    (void)error;
    job->visited += STEPS;
    levels_cpu_chase_several(job->cursors, job->threads, job->loads, STEPS);
    return STATUS_OK;
}

static enum status check_cursors(void *context, bool *right, struct error *error) {
    const struct job *job = context;
    (void)error;
    *right = true;
    for (uint64_t i = 0; i < cursor_count(job); i++) {
        *right &= job->cursors[i] == place_of(job, i, job->visited);
    }
    return STATUS_OK;
}

static enum status measure_job(struct job *job, struct error *error) {
    struct row row = run_row(job->run);
    struct measurement measurement;
    bool right = false;
    const struct trial trial = {job, set_cursors, enqueue, check_cursors};
    TRY(run_trial(job->run, &trial, &measurement, error));
    TRY(check_cursors(job, &right, error));
    const struct chain *chain = &job->chase->chain;
    const struct footprint footprint = {.unit_bytes = (double)chain_bytes(chain), .units = 1};
    snprintf(row.op, sizeof row.op, "load");
    snprintf(row.level, sizeof row.level, "%s", caches_answer(run_info(job->run), &footprint).level);
    row.width_bytes = sizeof(uint64_t);
    row_format_dimensions(row.block, (struct dimensions){job->threads, 1, 1});
    row.stride = chain->line_bytes / sizeof(uint64_t);
    row.footprint_bytes = chain_bytes(chain);
    row.bytes_in_flight = (double)job->threads * (double)job->loads * (double)chain->line_bytes;
    row.latency_ns = measurement.time_ns.median / (double)STEPS;
    measurement.verification = verification_of(right && measurement.verification == VERIFICATION_PASSED);
    levels_finish_row(&row, &measurement, row.bytes_in_flight * (double)STEPS);
    return run_emit(job->run, &row, error);
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    if (!device_is_cpu(run_info(run))) {
        return levels_streams.measure(run, point, error);
    }
    struct chase *chase = run->state;
    const struct chain chain =
        chain_make(footprint_of(run, point), levels_line_bytes(run, point), 0, run->settings->seed);
    struct job job = {.run = run,
                      .chase = chase,
                      .threads = (uint32_t)point->values[LEVELS_WARPS],
                      .loads = (uint32_t)point->values[LEVELS_LOADS]};
    bool warm;
    if (!chase_is_open(chase) || chain_bytes(&chain) != chain_bytes(&chase->chain)) {
        chase_close(chase);
        TRY(chase_open(chase, run->bench_device, &chase_of_loads, MEMORY_DEVICE, chain_bytes(&chain), error));
        TRY(chase_prepare(chase, &chain, &warm, error));
    }
    job.cursors = memory_zeros(cursor_count(&job), sizeof *job.cursors);
    const enum status status = measure_job(&job, error);
    free(job.cursors);
    return status;
}

TABLE(in_flight, COLUMN(device), COLUMN(variant), COLUMN(block), COLUMN(bytes_in_flight), COLUMN(latency_ns),
      COLUMN(bandwidth_gb_s), COLUMN(interval_pct), COLUMN(peak_pct), COLUMN(level), COLUMN(verdict));

const struct variant_kind levels_in_flight = {.table = in_flight,
                                              .check = check,
                                              .skip = skip,
                                              .cost = cost,
                                              .measure = measure_point,
                                              .finish = levels_close_chase};
