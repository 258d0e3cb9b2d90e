#include "smem/smem_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/cluster_memory.h"

static const double LOOP_CYCLES = 300000; // much longer than a block's start, but well within a counter of 20 bits
static const double ROUNDS_MAX = 4096;

KERNEL_SOURCE(source, smem_cu, "smem/smem.cu");

uint32_t smem_rounds(double cycles_per_round) {
    return (uint32_t)fmax(1, fmin(ROUNDS_MAX, LOOP_CYCLES / cycles_per_round));
}

uint32_t smem_summand(uint64_t value, uint32_t width_bytes) {
    uint32_t halves = (uint32_t)(value ^ value >> 32);
    if (width_bytes >= 8) {
        return width_bytes == 16 ? 2 * halves : halves; // at 16 bytes the complements' xor is the same again
    }
    return (uint32_t)(value & ((UINT64_C(1) << (8 * width_bytes)) - 1));
}

static uint64_t thread_count(const struct smem_job *job) {
    return (uint64_t)job->launch.grid.x * job->launch.block.x;
}

static enum status build(struct smem_job *job, struct error *error) {
    const struct kernel_constant constants[] = {{"WIDTH", job->pattern.width_bytes},
                                                {"UNROLL", job->unroll},
                                                {"CLUSTER", job->pattern.cluster},
                                                {"DISTANCE", job->pattern.distance}};
    const size_t count = sizeof constants / sizeof constants[0];
    struct kernel_request request = {.source = &source,
                                     .entry = job->entry,
                                     .constants = constants,
                                     .constant_count = job->pattern.cluster ? count : count - 2};
    return device_build(run_device(job->run), &request, &job->kernel, error);
}

static enum status fill_grid(struct smem_job *job, struct error *error) {
    struct device *device = run_device(job->run);
    const uint32_t blocks = job->pattern.cluster;
    uint32_t clusters = 0;
    if (!device->operations->active_clusters) { // a simulated one
        job->launch.grid.x = cluster_units(device->info.gpu, blocks);
        return STATUS_OK;
    }
    TRY(device->operations->active_clusters(device, job->kernel, &job->launch, blocks, &clusters, error));
    if (clusters == 0) {
        return error_set(error, STATUS_FAILED, "%s runs no cluster of %u blocks: give a smaller --cluster",
                         device->info.spec, blocks);
    }
    job->launch.grid.x = clusters * blocks;
    return STATUS_OK;
}

enum status smem_job_prepare(struct smem_job *job, struct error *error) {
    struct device *device = run_device(job->run);
    TRY(build(job, error));
    TRY(job->pattern.cluster ? fill_grid(job, error) : STATUS_OK);
    TRY(device_allocate(device, thread_count(job) * sizeof(uint32_t), &job->sums, error));
    TRY(device_allocate(device, job->launch.grid.x * sizeof(uint64_t), &job->cycles, error));
    job->arguments[0] = argument_pointer(job->sums);
    job->arguments[1] = argument_pointer(job->cycles);
    job->launch.arguments = job->arguments;
    return STATUS_OK;
}

void smem_job_release(struct smem_job *job) {
    struct device *device = run_device(job->run);
    device_discard(device, job->kernel);
    device_release(device, job->sums);
    device_release(device, job->cycles);
}

// ---- Launches and their result ----

static enum status poison(void *context, struct error *error) {
    struct smem_job *job = context;
    struct device *device = run_device(job->run);
    return device_poison(device, job->sums, thread_count(job) * sizeof(uint32_t), error);
}

static enum status enqueue(void *context, struct error *error) {
    struct smem_job *job = context;
    return device_launch(run_device(job->run), job->kernel, &job->launch, error);
}

static enum status check_block(struct smem_job *job, uint64_t block, uint32_t *sums, bool *right, struct error *error) {
    struct device *device = run_device(job->run);
    const uint64_t threads = job->launch.block.x, bytes = threads * sizeof *sums;
    enum status status = device_copy_to_host(device, sums, job->sums + block * bytes, bytes, error);
    *right = status == STATUS_OK;
    for (uint32_t i = 0; i < threads && *right; i++) {
        *right = sums[i] == job->expected_sum(job, block, i);
    }
    return status;
}

static enum status check_sums(void *context, bool *right, struct error *error) {
    struct smem_job *job = context;
    uint32_t *sums = memory_zeros(job->launch.block.x, sizeof *sums);
    enum status status = STATUS_OK;
    *right = true;
    for (uint64_t i = 0, block;
         *right && status == STATUS_OK && device_next_block(run_device(job->run), job->launch.grid.x, i, &block); i++) {
        status = check_block(job, block, sums, right, error);
    }
    free(sums);
    return status;
}

struct work smem_job_work(struct smem_job *job) {
    return (struct work){enqueue, job};
}

struct trial smem_job_trial(struct smem_job *job) {
    return (struct trial){job, poison, enqueue, check_sums};
}

// ---- Cycles and counts ----

double smem_job_requests(const struct smem_job *job) {
    return (double)job->rounds * job->unroll * job->pattern.warps;
}

double smem_job_useful_bytes(const struct smem_job *job) {
    return smem_job_requests(job) * job->launch.grid.x * job->pattern.lanes * job->pattern.width_bytes;
}

enum status smem_job_cycles_per_request(struct smem_job *job, double *cycles, struct error *error) {
    struct device *device = run_device(job->run);
    uint32_t blocks = job->launch.grid.x;
    if (run_info(job->run)->predicted) {
        *cycles = job->cost.clocks;
        return STATUS_OK;
    }
    uint64_t *counts = memory_zeros(blocks, sizeof *counts);
    enum status status = device_copy_to_host(device, counts, job->cycles, blocks * sizeof *counts, error);
    double sum = 0;
    for (uint32_t i = 0; i < blocks && status == STATUS_OK; i++) {
        sum += (double)counts[i];
    }
    free(counts);
    *cycles = sum / blocks / smem_job_requests(job);
    return status;
}

static struct memory_counts predicted_counts(const struct smem_job *job) {
    double requests = smem_job_requests(job) * job->launch.grid.x;
    return (struct memory_counts){
        .requests = requests,
        .passes = requests * job->cost.passes,
        .conflicts = requests * job->cost.conflicts,
        .unique_bytes = requests * job->cost.unique_bytes,
    };
}

enum status smem_job_counts(struct smem_job *job, struct launch_counts *counts, struct error *error) {
    struct device *device = run_device(job->run);
    const bool load = job->pattern.operation == OPERATION_LOAD;
    *counts = (struct launch_counts){.warps = (double)job->launch.grid.x * job->pattern.warps};
    if (device_counts_launches(device)) {
        return device_counts(device, counts, error);
    }
    *(load ? &counts->shared_load : &counts->shared_store) = predicted_counts(job);
    return STATUS_OK;
}

static void set_counts(const struct smem_job *job, const struct launch_counts *counts, struct row *row) {
    const bool load = job->pattern.operation == OPERATION_LOAD;
    struct launch_counts timed = *counts;
    *(load ? &timed.shared_store : &timed.shared_load) = (struct memory_counts){0};
    timed.global_load = timed.global_store = (struct memory_counts){0};
    timed.device_read_bytes = timed.device_write_bytes = NAN; // of the sums and cycles, which are not timed
    row_set_counts(row, &timed, run_info(job->run)->gpu);
}

void smem_job_describe(const struct smem_job *job, const struct launch_counts *counts, struct row *row) {
    row->width_bytes = job->pattern.width_bytes;
    if (job->pattern.cluster) {
        row->cluster = job->pattern.cluster;
        row->distance = job->pattern.distance;
    }
    row_format_dimensions(row->block, job->launch.block);
    row_format_dimensions(row->grid, job->launch.grid);
    if (run_info(job->run)->gpu) {
        set_counts(job, counts, row);
    }
}

void smem_job_set_cycles(const struct smem_job *job, double cycles, struct row *row) {
    row->cycles_per_request = cycles;
    row->bytes_per_clock = job->pattern.lanes * job->pattern.width_bytes / cycles;
}

void smem_job_set_degree(const struct smem_job *job, double cost, const struct smem_reference *conflict_free,
                         struct row *row) {
    const struct device_info *info = run_info(job->run);
    const enum certainty best = job->detail->certainty;
    const enum certainty certainty = job->cost.certainty > best ? job->cost.certainty : best;
    if (!info->predicted) {
        row->degree = cost / conflict_free->cost;
    }
    if (!info->gpu) {
        return;
    }
    row->degree_predicted = job->cost.passes / conflict_free->passes;
    snprintf(row->rule_certainty, sizeof row->rule_certainty, "%s", certainty_name(certainty));
    if (!info->predicted) {
        bool agrees = fabs(row->degree / row->degree_predicted - 1) <= 0.10;
        snprintf(row->model, sizeof row->model, "%s", agrees ? "agrees" : "differs");
    }
}
