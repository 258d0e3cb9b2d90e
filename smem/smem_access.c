// Accesses by a pattern of lanes: load, store, latency, broadcast, atomics, and the old course's loop.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/cluster_memory.h"
#include "smem/smem_job.h"
#include "smem/smem_pattern.h"
#include "util/random.h"

enum {
    UNROLL = 8,           // enough in flight to fill the data stage
    SIMULATED_ROUNDS = 4, // enough to see what a round adds
};

static const double LATENCY_CYCLES = 32; // about the latency of an access on any part

static uint32_t block_threads(const struct run *run, const struct point *point) {
    const struct smem_detail *detail = point->variant->detail;
    if (detail->dependent) {
        return run_info(run)->warp_width;
    }
    const uint32_t wanted = detail->block ? detail->block : (uint32_t)point->values[SMEM_BLOCK];
    return wanted ? wanted : run_info(run)->max_block_threads;
}

static struct smem_pattern pattern_of(const struct run *run, const struct point *point) {
    const struct smem_detail *detail = point->variant->detail;
    uint32_t lanes = run_info(run)->warp_width;
    return (struct smem_pattern){
        .operation = detail->operation,
        .atomic = detail->atomic,
        .path = !detail->remote                ? PATH_OWN
                : point->values[SMEM_DISTANCE] ? PATH_REMOTE
                                               : PATH_CLUSTER,
        .width_bytes = (uint32_t)point->values[SMEM_WIDTH],
        .stride = (uint32_t)point->values[SMEM_STRIDE],
        .group = point->values[SMEM_GROUP] ? (uint32_t)point->values[SMEM_GROUP] : 1,
        .lanes = lanes,
        .warps = block_threads(run, point) / lanes,
        .cluster = (uint32_t)point->values[SMEM_CLUSTER],
        .distance = (uint32_t)point->values[SMEM_DISTANCE],
    };
}

static uint64_t shared_bytes(const struct smem_job *job) {
    const uint64_t array_elements = job->detail->array_elements;
    return array_elements ? array_elements * job->pattern.width_bytes : smem_pattern_bytes(&job->pattern);
}

// Blocks that share a compute unit slow each other down, so the cycles that one of them counts say little.
static bool blocks_share_unit(const struct smem_job *job) {
    return job->detail->blocks_per_unit > 1;
}

static enum status check_shape(const struct device_info *info, const struct smem_pattern *pattern, uint32_t threads,
                               struct error *error) {
    if (threads == 0 || threads % info->warp_width != 0 || threads > info->max_block_threads) {
        return error_set(error, STATUS_USAGE, "--block %u: %s takes multiples of %u up to %u", threads, info->spec,
                         info->warp_width, info->max_block_threads);
    }
    if (info->warp_width % pattern->group != 0) {
        return error_set(error, STATUS_USAGE, "--group %u: give a divisor of the warp's %u lanes", pattern->group,
                         info->warp_width);
    }
    return STATUS_OK;
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    const struct device_info *info = run_info(run);
    TRY(smem_check_width(point->variant, point->values[SMEM_WIDTH], error));
    struct smem_job job = {.detail = point->variant->detail, .pattern = pattern_of(run, point)};
    TRY(check_shape(info, &job.pattern, block_threads(run, point), error));
    if (shared_bytes(&job) > info->shared_bytes_per_block_max) {
        return error_set(
            error, STATUS_USAGE,
            "width %u at stride %u needs %llu bytes of shared memory, a block of %s has %u: give a smaller "
            "--stride or --block",
            job.pattern.width_bytes, job.pattern.stride, (unsigned long long)shared_bytes(&job), info->spec,
            info->shared_bytes_per_block_max);
    }
    if (job.detail->remote && point->values[SMEM_DISTANCE] >= point->values[SMEM_CLUSTER]) {
        return error_set(error, STATUS_USAGE, "--distance %llu: a cluster of %llu blocks has smaller ones",
                         (unsigned long long)point->values[SMEM_DISTANCE],
                         (unsigned long long)point->values[SMEM_CLUSTER]);
    }
    return STATUS_OK;
}

// Of several clusters and distances, those go together that fit; a single pair that does not is refused.
static bool skips_distance(const struct run *run, const struct point *point) {
    const bool swept = run->sweeps[SMEM_CLUSTER].count > 1 || run->sweeps[SMEM_DISTANCE].count > 1;
    return point->values[SMEM_CLUSTER] && point->values[SMEM_DISTANCE] >= point->values[SMEM_CLUSTER] &&
           (swept || run->defaulted[SMEM_DISTANCE]);
}

// A default group wider than the warp has no effect. Only data centers' GPUs have clusters of more than 8 blocks.
static bool skip(const struct run *run, const struct point *point) {
    const struct device_info *info = run_info(run);
    if (skips_distance(run, point)) {
        return true;
    }
    const uint64_t most = device_sm(info) / 10 == 12 ? 8 : 16;
    if (run->defaulted[SMEM_CLUSTER] && point->values[SMEM_CLUSTER] > most) {
        return true;
    }
    return run->defaulted[SMEM_GROUP] && point->values[SMEM_GROUP] > run_info(run)->warp_width;
}

static uint32_t measured_rounds(const struct smem_job *job) {
    double passes = job->cost.passes > 0 ? job->cost.passes : job->pattern.lanes;
    double cycles = job->detail->dependent ? LATENCY_CYCLES + passes : passes * job->pattern.warps;
    return smem_rounds((double)UNROLL * cycles);
}

// Turns of a thread's loop.
static uint32_t choose_rounds(const struct smem_job *job) {
    const uint32_t simulated = job->detail->simulated_rounds;
    if (run_info(job->run)->predicted) {
        return simulated ? simulated : SIMULATED_ROUNDS;
    }
    return measured_rounds(job);
}

// A block of a cluster takes more than half of a unit's shared memory, so that it is alone there.
static uint64_t dynamic_bytes_of(const struct smem_job *job) {
    const uint64_t bytes = job->detail->array_elements ? 0 : (shared_bytes(job) + 15) / 16 * 16;
    const uint64_t alone = run_info(job->run)->shared_bytes_per_block_max / 32 * 16 + 1024;
    return job->detail->remote && bytes < alone ? alone : bytes;
}

static struct launch make_launch(const struct smem_job *job) {
    const uint32_t units = run_info(job->run)->compute_units;
    const uint32_t blocks_per_unit = job->detail->blocks_per_unit ? job->detail->blocks_per_unit : 1;
    return (struct launch){
        .grid = {units * blocks_per_unit, 1, 1},
        .block = {job->pattern.warps * job->pattern.lanes, 1, 1},
        .dynamic_shared_bytes = (uint32_t)dynamic_bytes_of(job),
        .argument_count = SMEM_ARGUMENTS,
    };
}

// ---- Expected sums ----

static uint32_t word_of(const struct smem_job *job, uint64_t seed, uint32_t index) {
    return smem_summand(mix64(seed + index), job->pattern.width_bytes);
}

// How often a thread accesses shared memory.
static uint32_t count_of(const struct smem_job *job) {
    return job->rounds * job->unroll;
}

uint32_t smem_sum_of_loads(const struct smem_job *job, uint64_t seed, uint32_t thread) {
    return count_of(job) * smem_stored_word(job, seed, thread);
}

uint32_t smem_stored_word(const struct smem_job *job, uint64_t seed, uint32_t thread) {
    return word_of(job, seed, smem_element_index(&job->pattern, thread));
}

uint32_t smem_chain_end(const struct smem_job *job, uint64_t seed, uint32_t thread) {
    return smem_element_index(&job->pattern, thread) * job->pattern.width_bytes + (uint32_t)seed;
}

uint32_t smem_atomic_count(const struct smem_job *job, uint64_t seed, uint32_t thread) {
    (void)thread;
    const uint32_t sharing = job->pattern.stride == 0 ? job->pattern.lanes : job->pattern.group;
    return (uint32_t)seed + count_of(job) * sharing;
}

uint32_t smem_course_sum(const struct smem_job *job, uint64_t seed, uint32_t thread) {
    const struct smem_pattern *pattern = &job->pattern;
    return count_of(job) * word_of(job, seed, thread / pattern->group * pattern->stride % SMEM_COURSE_ELEMENTS);
}

// The seed of the words that a block finds, which tells the blocks of a cluster apart.
static uint64_t seed_of(const struct smem_job *job, uint64_t block) {
    const uint32_t blocks = job->pattern.cluster, distance = job->pattern.distance;
    const uint64_t seed = job->run->settings->seed;
    if (blocks == 0) {
        return seed;
    }
    const uint64_t away = job->detail->writes ? blocks - distance : distance;
    return seed + ((block + away) % blocks << 32);
}

static uint32_t expected_sum(const struct smem_job *job, uint64_t block, uint32_t thread) {
    return job->detail->expected(job, seed_of(job, block), thread);
}

// ---- Cycles and degrees ----

// The cost of a request: in cycles that the blocks count, or in time if blocks share a unit.
static enum status request_cost(struct smem_job *job, const struct measurement *measurement, double *cost,
                                struct error *error) {
    if (blocks_share_unit(job)) {
        *cost = measurement->time_ns.median / smem_job_requests(job);
        return STATUS_OK;
    }
    return smem_job_cycles_per_request(job, cost, error);
}

static enum status prepare(struct smem_job *job, struct run *run, const struct point *point, struct error *error) {
    const struct smem_pattern pattern = pattern_of(run, point);
    const struct smem_detail *detail = point->variant->detail;
    *job = (struct smem_job){.run = run,
                             .detail = detail,
                             .entry = detail->entry,
                             .pattern = pattern,
                             .unroll = UNROLL,
                             .cost = smem_pattern_cost(run_info(run)->gpu, &pattern),
                             .expected_sum = expected_sum};
    job->rounds = choose_rounds(job);
    job->launch = make_launch(job);
    const struct argument own[] = {argument_u32(pattern.stride), argument_u32(pattern.group), argument_u32(job->rounds),
                                   argument_u64(run->settings->seed)};
    memcpy(job->arguments + SMEM_OWN_ARGUMENTS, own, sizeof own);
    return smem_job_prepare(job, error);
}

static double *conflict_free_cost(struct run *run, const struct point *point) {
    struct smem_state *state = run->state;
    const uint64_t cluster = point->values[SMEM_CLUSTER], distance = point->values[SMEM_DISTANCE];
    if (state->cluster != cluster || state->distance != distance) {
        memset(state->conflict_free, 0, sizeof state->conflict_free);
        state->cluster = cluster;
        state->distance = distance;
    }
    return &state->conflict_free[__builtin_ctz((unsigned)point->values[SMEM_WIDTH])];
}

static struct point conflict_free_point(const struct point *point) {
    struct point other = *point;
    other.values[SMEM_STRIDE] = 1;
    other.values[SMEM_GROUP] = 0;
    return other;
}

// Stride 1 of the same width is measured first, even if it is not in the sweep.
static enum status ensure_conflict_free(struct run *run, const struct point *point, struct error *error) {
    double *cost = conflict_free_cost(run, point);
    if (*cost > 0 || run_info(run)->predicted || run->settings->counting) {
        return STATUS_OK;
    }
    const struct point other = conflict_free_point(point);
    const struct settings aside = measure_aside(run->settings);
    struct measurement measurement;
    struct smem_job job;
    const struct work work = smem_job_work(&job);
    enum status status = prepare(&job, run, &other, error);
    THEN(status, measure(run->bench_device, &aside, &work, &measurement, error));
    THEN(status, request_cost(&job, &measurement, cost, error));
    smem_job_release(&job);
    return status;
}

static void set_degree(const struct smem_job *job, const struct point *point, double cost, struct row *row) {
    struct run *run = job->run;
    if (job->detail->dependent) {
        return;
    }
    struct point other = conflict_free_point(point);
    struct smem_pattern pattern = pattern_of(run, &other);
    const struct smem_reference conflict_free = {*conflict_free_cost(run, point),
                                                 smem_pattern_cost(run_info(run)->gpu, &pattern).passes};
    smem_job_set_degree(job, cost, &conflict_free, row);
}

// ---- The row ----

static void set_rates(const struct smem_job *job, double cost, struct row *row) {
    const struct device_info *info = run_info(job->run);
    bool lanes_share = job->pattern.stride == 0 || job->pattern.group > 1; // no bank bounds one word for many lanes
    if (info->gpu && info->clock_mhz > 0 && !lanes_share && !job->detail->remote) {
        row->peak_gb_s = info->compute_units * info->clock_mhz * 1e-3 * shared_memory_pass_bytes(info->gpu);
    } else {
        row->peak_gb_s = NAN;
    }
    if (!blocks_share_unit(job)) {
        smem_job_set_cycles(job, cost, row);
    }
}

// The cycles of a dependent request, the mean of the blocks, by what so many requests add to a launch, which waits for
// the slowest block.
static double cycles_of_wait(const struct smem_job *job, double added_ns) {
    const struct cluster_latency latency = cluster_memory_latency(job->pattern.path);
    const double slowest = added_ns * run_info(job->run)->clock_mhz * 1e-3 / smem_job_requests(job);
    return slowest - (latency.slowest - latency.mean);
}

// A prediction simulates fewer rounds than a GPU runs, where few would show little but the launch. A second simulation
// with twice as many rounds gives what a round adds. Parts of the time that overlap in few rounds make that too little,
// so the bound holds here, too.
static enum status extrapolate(struct smem_job *job, struct measurement *measurement, struct launch_counts *counts,
                               double *cost, struct error *error) {
    const struct work work = smem_job_work(job);
    const uint32_t rounds = measured_rounds(job);
    const double more = rounds / (double)job->rounds - 1;
    struct measurement twice;
    struct launch_counts twice_counts;
    job->arguments[SMEM_OWN_ARGUMENTS + 2] = argument_u32(2 * job->rounds);
    TRY(measure(job->run->bench_device, job->run->settings, &work, &twice, error));
    TRY(smem_job_counts(job, &twice_counts, error));
    const double rounds_ns = twice.predicted.ns - measurement->predicted.ns;
    *cost = job->detail->dependent ? cycles_of_wait(job, rounds_ns) : job->cost.clocks;
    measurement->predicted.ns += more * rounds_ns;
    measurement->predicted.bound.ns += more * (twice.predicted.bound.ns - measurement->predicted.bound.ns);
    measurement->predicted.ns = fmax(measurement->predicted.ns, measurement->predicted.bound.ns);
    measurement->time_ns.median = measurement->predicted.ns;
    launch_counts_extrapolate(counts, &twice_counts, more);
    job->rounds = rounds;
    return STATUS_OK;
}

// Launches the kernel, and takes its time, its counts and what a request costs.
static enum status take(struct smem_job *job, struct measurement *measurement, struct launch_counts *counts,
                        double *cost, struct error *error) {
    struct trial trial = smem_job_trial(job);
    TRY(run_trial(job->run, &trial, measurement, error));
    TRY(smem_job_counts(job, counts, error));
    return run_info(job->run)->predicted ? extrapolate(job, measurement, counts, cost, error)
                                         : request_cost(job, measurement, cost, error);
}

static enum status measure_and_emit(struct smem_job *job, const struct point *point, struct error *error) {
    struct run *run = job->run;
    struct row row = run_row(run);
    struct measurement measurement;
    struct launch_counts counts;
    double cost = NAN;
    TRY(take(job, &measurement, &counts, &cost, error));
    snprintf(row.op, sizeof row.op, "%s", job->detail->op);
    row.stride = job->pattern.stride;
    row.group = job->pattern.group;
    set_rates(job, cost, &row);
    set_degree(job, point, cost, &row);
    smem_job_describe(job, &counts, &row);
    row_finish(&row, run, &measurement, smem_job_useful_bytes(job));
    return run_emit(run, &row, error);
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    struct smem_job job;
    TRY(ensure_conflict_free(run, point, error));
    enum status status = prepare(&job, run, point, error);
    THEN(status, measure_and_emit(&job, point, error));
    smem_job_release(&job);
    return status;
}

TABLE(accesses, COLUMN(device), COLUMN(variant), COLUMN(width_bytes), COLUMN(stride), COLUMN(bandwidth_gb_s),
      COLUMN(interval_pct), COLUMN(passes_per_request), COLUMN_ON(ON_PREDICTED, bytes_per_clock),
      COLUMN_ON(ON_MEASURED, degree), COLUMN(degree_predicted), COLUMN(verdict));
TABLE(broadcasts, COLUMN(device), COLUMN(variant), COLUMN(width_bytes), COLUMN(group), COLUMN(bandwidth_gb_s),
      COLUMN(interval_pct), COLUMN(passes_per_request), COLUMN_ON(ON_PREDICTED, bytes_per_clock),
      COLUMN_ON(ON_MEASURED, degree), COLUMN(degree_predicted), COLUMN(verdict));
TABLE(latencies, COLUMN(device), COLUMN(variant), COLUMN(width_bytes), COLUMN(stride), COLUMN(passes_per_request),
      COLUMN(cycles_per_request), COLUMN(interval_pct), COLUMN(verdict));
TABLE(remotes, COLUMN(device), COLUMN(variant), COLUMN(width_bytes), COLUMN(stride), COLUMN(cluster), COLUMN(distance),
      COLUMN(bandwidth_gb_s), COLUMN(cycles_per_request), COLUMN(interval_pct), COLUMN(verdict));

#define ACCESSES .check = check, .skip = skip, .measure = measure_point
const struct variant_kind smem_accesses = {accesses, ACCESSES};
const struct variant_kind smem_broadcasts = {broadcasts, ACCESSES};
const struct variant_kind smem_latencies = {latencies, ACCESSES};
const struct variant_kind smem_remotes = {remotes, ACCESSES};
