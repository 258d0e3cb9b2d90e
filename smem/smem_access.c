// Accesses by a pattern of lanes: load, store, latency, broadcast, atomics, and the old course's loop.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "common/embed.h"
#include "smem/smem.h"
#include "smem/smem_pattern.h"

EMBED_FILE(smem_cu, "smem/smem.cu");

enum {
    UNROLL = 8,             // of smem.cu
    COURSE_BLOCK = 128,     // as the course had it ...
    COURSE_ELEMENTS = 4096, // ... and as smem.cu has it
    COURSE_BLOCKS_A_UNIT = 16,
    LOOP_CYCLES = 300000, // long against the start of a block, short against a counter of 20 bits
    LATENCY_CYCLES = 32,  // about what an access takes on any part
    ROUNDS_MAX = 4096,
    SIMULATED_ROUNDS = 4,          // enough that filling the memory hardly shows in the prediction
    SIMULATED_COURSE_ROUNDS = 256, // its threads fill 32 elements each
};

static const struct kernel_source source = {"smem/smem.cu", smem_cu};

// One point under way.
struct job {
    struct run *run;
    const struct smem_detail *detail;
    struct smem_pattern pattern;
    struct smem_cost cost; // predicted; zero where the model does not know the part
    uint32_t rounds;
    struct kernel *kernel;
    uint64_t sums, cycles; // device addresses
    struct argument arguments[6];
    struct launch launch;
};

static const struct device_info *info_of(const struct run *run) {
    return &run->bench_device->device->info;
}

static uint32_t block_threads(const struct run *run, const struct point *point) {
    const struct smem_detail *detail = point->variant->detail;
    if (detail->kind == SMEM_LATENCY) {
        return info_of(run)->warp_width;
    }
    if (detail->kind == SMEM_COURSE) {
        return COURSE_BLOCK;
    }
    return point->values[SMEM_BLOCK] ? (uint32_t)point->values[SMEM_BLOCK] : info_of(run)->max_block_threads;
}

static struct smem_pattern pattern_of(const struct run *run, const struct point *point) {
    const struct smem_detail *detail = point->variant->detail;
    uint32_t lanes = info_of(run)->warp_width;
    return (struct smem_pattern){
        .operation = detail->operation,
        .width_bytes = (uint32_t)point->values[SMEM_WIDTH],
        .stride = (uint32_t)point->values[SMEM_STRIDE],
        .group = point->values[SMEM_GROUP] ? (uint32_t)point->values[SMEM_GROUP] : 1,
        .lanes = lanes,
        .warps = block_threads(run, point) / lanes,
    };
}

// The course's loop has an array of fixed size, one for all warps.
static uint64_t shared_bytes(const struct job *job) {
    return job->detail->kind == SMEM_COURSE ? (uint64_t)COURSE_ELEMENTS * job->pattern.width_bytes
                                            : smem_pattern_bytes(&job->pattern);
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

enum status smem_check_access(const struct run *run, const struct point *point, struct error *error) {
    const struct device_info *info = info_of(run);
    struct job job = {.detail = point->variant->detail, .pattern = pattern_of(run, point)};
    enum status status = check_shape(info, &job.pattern, block_threads(run, point), error);
    if (status != STATUS_OK) {
        return status;
    }
    bool narrow = job.detail->kind == SMEM_COURSE && job.pattern.width_bytes > 8;
    bool counters = strcmp(job.detail->op, "atomic-add") == 0 && job.pattern.width_bytes != 4;
    if (narrow || counters) {
        return error_set(error, STATUS_USAGE, "--width %u: %s takes %s", job.pattern.width_bytes, point->variant->name,
                         narrow ? "8 bytes at most" : "4 bytes only");
    }
    if (shared_bytes(&job) > info->shared_bytes_per_block_max) {
        return error_set(
            error, STATUS_USAGE,
            "width %u at stride %u needs %llu bytes of shared memory, a block of %s has %u: give a smaller "
            "--stride or --block",
            job.pattern.width_bytes, job.pattern.stride, (unsigned long long)shared_bytes(&job), info->spec,
            info->shared_bytes_per_block_max);
    }
    return STATUS_OK;
}

// How often a thread's loop turns: so that the block runs for LOOP_CYCLES.
static uint32_t choose_rounds(const struct job *job) {
    if (info_of(job->run)->predicted) {
        return job->detail->kind == SMEM_COURSE ? SIMULATED_COURSE_ROUNDS : SIMULATED_ROUNDS;
    }
    double passes = job->cost.passes > 0 ? job->cost.passes : job->pattern.lanes;
    double cycles =
        UNROLL * (job->detail->kind == SMEM_LATENCY ? LATENCY_CYCLES + passes : passes * job->pattern.warps);
    double rounds = LOOP_CYCLES / cycles;
    return rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : (uint32_t)rounds;
}

static uint32_t threads_of(const struct job *job) {
    return job->pattern.warps * job->pattern.lanes;
}

// One block for each compute unit, so that a block has its shared memory's data stage to itself.
static void shape_launch(struct job *job) {
    uint32_t units = info_of(job->run)->compute_units;
    job->launch = (struct launch){
        .grid = {job->detail->kind == SMEM_COURSE ? units * COURSE_BLOCKS_A_UNIT : units, 1, 1},
        .block = {threads_of(job), 1, 1},
        .dynamic_shared_bytes = job->detail->kind == SMEM_COURSE ? 0 : (uint32_t)((shared_bytes(job) + 15) / 16 * 16),
        .arguments = job->arguments,
        .argument_count = sizeof job->arguments / sizeof job->arguments[0],
    };
}

static uint64_t thread_count(const struct job *job) {
    return (uint64_t)job->launch.grid.x * job->launch.block.x;
}

static enum status allocate(struct job *job, struct error *error) {
    struct device *device = job->run->bench_device->device;
    enum status status = device->operations->allocate(device, thread_count(job) * sizeof(uint32_t), &job->sums, error);
    if (status == STATUS_OK) {
        status = device->operations->allocate(device, job->launch.grid.x * sizeof(uint64_t), &job->cycles, error);
    }
    const struct argument arguments[] = {
        argument_pointer(job->sums),      argument_pointer(job->cycles), argument_u32(job->pattern.stride),
        argument_u32(job->pattern.group), argument_u32(job->rounds),     argument_u64(job->run->settings->seed),
    };
    memcpy(job->arguments, arguments, sizeof arguments);
    return status;
}

static enum status build(struct job *job, struct error *error) {
    struct device *device = job->run->bench_device->device;
    const struct kernel_constant width = {"WIDTH", job->pattern.width_bytes};
    struct kernel_request request = {
        .source = &source, .entry = job->detail->entry, .constants = &width, .constant_count = 1};
    return device->operations->build(device, &request, &job->kernel, error);
}

static void release(struct job *job) {
    struct device *device = job->run->bench_device->device;
    if (job->kernel) {
        device->operations->discard(device, job->kernel);
    }
    if (job->sums) {
        device->operations->release(device, job->sums);
    }
    if (job->cycles) {
        device->operations->release(device, job->cycles);
    }
}

// ---- What the kernels must give ----

// smem.cu's SUMMAND of a word of `width` bytes made from value (word_from_u64).
static uint32_t summand(uint64_t value, uint32_t width) {
    uint32_t halves = (uint32_t)(value ^ value >> 32);
    if (width >= 8) {
        return width == 16 ? 2 * halves : halves; // at 16 bytes the complements' xor is the same again
    }
    return (uint32_t)(value & ((UINT64_C(1) << (8 * width)) - 1));
}

static uint32_t expected_sum(const struct job *job, uint32_t thread) {
    uint64_t seed = job->run->settings->seed;
    uint32_t width = job->pattern.width_bytes;
    uint32_t index = smem_element_index(&job->pattern, thread);
    uint32_t accesses = job->rounds * UNROLL;
    if (strcmp(job->detail->entry, "shared_load_latency") == 0) {
        return index * width + (uint32_t)seed;
    }
    if (strcmp(job->detail->entry, "shared_store") == 0) {
        return summand(mix64(seed + index), width);
    }
    if (strcmp(job->detail->entry, "shared_atomic_add") == 0) {
        uint32_t sharing = job->pattern.stride == 0 ? job->pattern.lanes : job->pattern.group;
        return (uint32_t)seed + accesses * sharing;
    }
    if (job->detail->kind == SMEM_COURSE) {
        index = thread / job->pattern.group * job->pattern.stride % COURSE_ELEMENTS;
    }
    return accesses * summand(mix64(seed + index), width);
}

static enum status check_sums(void *context, bool *right, struct error *error) {
    struct job *job = context;
    struct device *device = job->run->bench_device->device;
    uint64_t blocks = device->info.simulated_blocks;
    uint64_t count = (blocks > 0 && blocks < job->launch.grid.x ? blocks : job->launch.grid.x) * job->launch.block.x;
    uint32_t *sums = malloc(count * sizeof *sums);
    if (!sums) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    enum status status = device->operations->copy_to_host(device, sums, job->sums, count * sizeof *sums, error);
    *right = status == STATUS_OK;
    for (uint64_t i = 0; i < count && *right; i++) {
        *right = sums[i] == expected_sum(job, (uint32_t)(i % job->launch.block.x));
    }
    free(sums);
    return status;
}

static enum status enqueue(void *context, struct error *error) {
    struct job *job = context;
    struct device *device = job->run->bench_device->device;
    return device->operations->launch(device, job->kernel, &job->launch, error);
}

static enum status poison(void *context, struct error *error) {
    struct job *job = context;
    struct device *device = job->run->bench_device->device;
    return device->operations->fill(device, job->sums, 0xA5, thread_count(job) * sizeof(uint32_t), error);
}

// ---- Cycles and degrees ----

static double requests_per_block(const struct job *job) {
    return (double)job->rounds * UNROLL * job->pattern.warps;
}

// The mean over the blocks of the latest launch; each has counted its own cycles.
static enum status cycles_per_request(struct job *job, double *cycles, struct error *error) {
    struct device *device = job->run->bench_device->device;
    uint32_t blocks = job->launch.grid.x;
    uint64_t *counts = malloc(blocks * sizeof *counts);
    if (!counts) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    enum status status = device->operations->copy_to_host(device, counts, job->cycles, blocks * sizeof *counts, error);
    double sum = 0;
    for (uint32_t i = 0; i < blocks && status == STATUS_OK; i++) {
        sum += (double)counts[i];
    }
    free(counts);
    *cycles = sum / blocks / requests_per_block(job);
    return status;
}

// What a request cost: cycles by the blocks' own counters; the course's blocks share a unit, so there it is time.
static enum status request_cost(struct job *job, const struct measurement *measurement, double *cost,
                                struct error *error) {
    if (job->detail->kind == SMEM_COURSE) {
        *cost = measurement->time_ns.median / requests_per_block(job);
        return STATUS_OK;
    }
    return cycles_per_request(job, cost, error);
}

static enum status prepare(struct job *job, struct run *run, const struct point *point, struct error *error) {
    const struct gpu *gpu = info_of(run)->gpu;
    *job = (struct job){.run = run, .detail = point->variant->detail, .pattern = pattern_of(run, point)};
    if (gpu) {
        job->cost = smem_pattern_cost(gpu, &job->pattern);
    }
    job->rounds = choose_rounds(job);
    shape_launch(job);
    enum status status = build(job, error);
    return status == STATUS_OK ? allocate(job, error) : status;
}

static double *conflict_free_cost(struct run *run, uint32_t width) {
    struct smem_state *state = run->state;
    return &state->conflict_free[__builtin_ctz(width)];
}

static struct point conflict_free_point(const struct point *point) {
    struct point other = *point;
    other.values[SMEM_STRIDE] = 1;
    other.values[SMEM_GROUP] = 0;
    return other;
}

// Stride 1 of the same width is measured first, whether or not it is in the sweep.
static enum status ensure_conflict_free(struct run *run, const struct point *point, struct error *error) {
    double *cost = conflict_free_cost(run, (uint32_t)point->values[SMEM_WIDTH]);
    if (*cost > 0 || info_of(run)->predicted) {
        return STATUS_OK;
    }
    struct point other = conflict_free_point(point);
    struct measurement measurement;
    struct job job;
    enum status status = prepare(&job, run, &other, error);
    if (status == STATUS_OK) {
        struct work work = {enqueue, &job};
        status = measure(run->bench_device, run->settings, &work, &measurement, error);
    }
    if (status == STATUS_OK) {
        status = request_cost(&job, &measurement, cost, error);
    }
    release(&job);
    return status;
}

static void set_degree(const struct job *job, const struct point *point, double cost, struct row *row) {
    static const char *const certainties[] = {[RULE_CERTAIN] = "certain", [RULE_OPEN] = "open", [RULE_GUESS] = "guess"};
    const struct gpu *gpu = info_of(job->run)->gpu;
    if (!gpu || job->detail->kind == SMEM_LATENCY) {
        return;
    }
    struct point other = conflict_free_point(point);
    struct smem_pattern pattern = pattern_of(job->run, &other);
    row->degree_predicted = job->cost.passes / smem_pattern_cost(gpu, &pattern).passes;
    enum certainty certainty =
        job->cost.certainty > job->detail->certainty ? job->cost.certainty : job->detail->certainty;
    snprintf(row->certainty, sizeof row->certainty, "%s", certainties[certainty]);
    if (!info_of(job->run)->predicted) {
        row->degree = cost / *conflict_free_cost(job->run, job->pattern.width_bytes);
        bool agrees = fabs(row->degree / row->degree_predicted - 1) <= 0.10;
        snprintf(row->model, sizeof row->model, "%s", agrees ? "agrees" : "differs");
    }
}

// ---- The row ----

// Of the model's pattern on a real GPU, of what it counted on the simulator; the timed accesses alone.
static enum status set_counts(struct job *job, struct row *row, struct error *error) {
    struct device *device = job->run->bench_device->device;
    struct launch_counts counts = {.warps = (double)job->launch.grid.x * job->pattern.warps};
    if (!device->info.gpu) {
        return STATUS_OK;
    }
    bool load = job->detail->operation == OPERATION_LOAD;
    struct memory_counts *counted = load ? &counts.shared_load : &counts.shared_store;
    struct memory_counts *other = load ? &counts.shared_store : &counts.shared_load;
    if (device->operations->counts) {
        enum status status = device->operations->counts(device, &counts, error);
        if (status != STATUS_OK) {
            return status;
        }
    } else {
        double requests = requests_per_block(job) * job->launch.grid.x;
        *counted = (struct memory_counts){
            .requests = requests,
            .passes = requests * job->cost.passes,
            .conflicts = requests * job->cost.conflicts,
            .unique_bytes = requests * job->cost.unique_bytes,
        };
    }
    *other = counts.global_load = counts.global_store = (struct memory_counts){0};
    row_set_counts(row, &counts, device->info.gpu);
    return STATUS_OK;
}

static void set_rates(const struct job *job, double cost, struct row *row) {
    const struct device_info *info = info_of(job->run);
    bool lanes_share = job->pattern.stride == 0 || job->pattern.group > 1; // one word to many: no bank bounds that
    if (info->gpu && info->clock_mhz > 0 && !lanes_share) {
        row->peak_gb_s = info->compute_units * info->clock_mhz * 1e-3 * shared_memory_pass_bytes(info->gpu);
    } else {
        row->peak_gb_s = NAN;
    }
    if (info->predicted) {
        cost = job->cost.passes; // a pass takes a cycle
    }
    if (job->detail->kind == SMEM_COURSE || (info->predicted && job->detail->kind == SMEM_LATENCY)) {
        return; // blocks share a unit; the model knows passes, not how long one takes
    }
    row->cycles_per_request = cost;
    row->bytes_per_clock = job->pattern.lanes * job->pattern.width_bytes / cost;
}

static void describe(const struct job *job, struct row *row) {
    snprintf(row->op, sizeof row->op, "%s", job->detail->op);
    row->width_bytes = job->pattern.width_bytes;
    row->stride = job->pattern.stride;
    row->group = job->pattern.group;
    row_format_dimensions(row->block, job->launch.block);
    row_format_dimensions(row->grid, job->launch.grid);
}

static enum status measure_and_emit(struct job *job, const struct point *point, struct error *error) {
    struct trial trial = {job, poison, enqueue, check_sums};
    struct row row = run_row(job->run);
    struct measurement measurement;
    enum verification verification;
    double cost = NAN;
    enum status status = run_trial(job->run, &trial, &measurement, &verification, error);
    if (status == STATUS_OK) {
        status = request_cost(job, &measurement, &cost, error);
    }
    if (status == STATUS_OK) {
        describe(job, &row);
        set_rates(job, cost, &row);
        set_degree(job, point, cost, &row);
        status = set_counts(job, &row, error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    double bytes = requests_per_block(job) * job->launch.grid.x * job->pattern.lanes * job->pattern.width_bytes;
    row_finish(&row, job->run, &measurement, bytes, verification);
    if (info_of(job->run)->predicted && job->detail->kind == SMEM_LATENCY) {
        row.time_ns_median = row.bandwidth_gb_s = row.peak_pct = NAN; // the model knows passes, not how long one takes
    }
    return run_emit(job->run, &row, error);
}

enum status smem_measure_access(struct run *run, const struct point *point, struct error *error) {
    struct job job;
    enum status status = ensure_conflict_free(run, point, error);
    if (status != STATUS_OK) {
        return status;
    }
    status = prepare(&job, run, point, error);
    if (status == STATUS_OK) {
        status = measure_and_emit(&job, point, error);
    }
    release(&job);
    return status;
}
