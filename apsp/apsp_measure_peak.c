// The rates of the instructions that every variant consists of, from registers alone, on a GPU.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apsp/apsp_session.h"
#include "util/random.h"

enum {
    CHAINS = 16, // as in the kernel
    BLOCK = 256,
    BLOCKS_PER_UNIT = 8, // these fill a compute unit with threads
    FEW_ROUNDS = 8,      // the host repeats these to check the result
    MANY_ROUNDS = 8192
};

KERNEL_SOURCE(source, apsp_min_plus_peak_cu, "apsp/kernels/min_plus_peak.cu");

static const struct operation {
    const char *name;
    uint32_t width_bytes;
} operations[] = {{"add-min", 4}, {"add-min", 2}, {"add", 4}, {"min", 4}};

struct job {
    struct run *run;
    uint32_t operation, threads;
    uint64_t results; // device address
    struct kernel *kernel;
    struct argument arguments[2];
    struct launch launch;
};

static uint32_t add_min_of_halves(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        const uint32_t sum = (a >> shift & 0xffff) + (b >> shift & 0xffff), other = c >> shift & 0xffff;
        result |= (sum < other ? sum : other) << shift;
    }
    return result;
}

static uint32_t apply(uint32_t operation, uint32_t a, uint32_t b, uint32_t c) {
    switch (operation) {
    case 0:
        return (int32_t)(a + b) < (int32_t)c ? a + b : c;
    case 1:
        return add_min_of_halves(a, b, c);
    case 2:
        return a + b;
    default:
        return (int32_t)a < (int32_t)b ? a : b;
    }
}

// The kernel's result for a thread after so many rounds.
static uint32_t expected(uint32_t operation, uint32_t thread, uint32_t rounds) {
    uint32_t value[CHAINS], folded = 0;
    for (uint32_t i = 0; i < CHAINS; i++) {
        value[i] = (uint32_t)mix64(thread * CHAINS + i) & 0x03ff03ff;
    }
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t first = value[0], second = value[1];
        for (uint32_t i = 0; i < CHAINS; i++) {
            const uint32_t next = i + 1 < CHAINS ? value[i + 1] : first;
            const uint32_t after = i + 2 < CHAINS ? value[i + 2] : i + 2 == CHAINS ? first : second;
            value[i] = apply(operation, value[i], next, after);
        }
    }
    for (uint32_t i = 0; i < CHAINS; i++) {
        folded ^= value[i];
    }
    return folded;
}

static enum status compare(const struct job *job, bool *right, struct error *error) {
    const size_t bytes = job->threads * sizeof(uint32_t);
    uint32_t *found = memory_zeros(1, bytes);
    enum status status = device_copy_to_host(run_device(job->run), found, job->results, bytes, error);
    *right = status == STATUS_OK;
    for (uint32_t thread = 0; thread < job->threads && *right; thread++) {
        *right = found[thread] == expected(job->operation, thread, FEW_ROUNDS);
    }
    free(found);
    return status;
}

static enum status enqueue(void *context, struct error *error) {
    struct job *job = context;
    return device_launch(run_device(job->run), job->kernel, &job->launch, error);
}

static enum status verify(struct job *job, bool *right, struct error *error) {
    job->arguments[1] = argument_u32(FEW_ROUNDS);
    TRY(enqueue(job, error));
    TRY(device_synchronize(run_device(job->run), error));
    return compare(job, right, error);
}

// The simulator does not time arithmetic, so there the result is only checked.
static enum status measure_operation(struct job *job, struct error *error) {
    const struct operation *operation = &operations[job->operation];
    const struct work work = {enqueue, job};
    struct row row = run_row(job->run);
    struct measurement measurement = measurement_empty();
    bool right = false;
    TRY(verify(job, &right, error));
    if (!run_info(job->run)->predicted) {
        job->arguments[1] = argument_u32(MANY_ROUNDS);
        TRY(measure(job->run->bench_device, job->run->settings, &work, &measurement, error));
        row.ops = (double)job->threads * (double)CHAINS * (double)MANY_ROUNDS * 4 / operation->width_bytes;
    }
    measurement.verification =
        run_info(job->run)->simulated_blocks > 0 ? VERIFICATION_LEFT_OUT : verification_of(right);
    row_finish(&row, job->run, &measurement, NAN);
    snprintf(row.op, sizeof row.op, "%s", operation->name);
    row.width_bytes = operation->width_bytes;
    row.peak_gb_s = NAN;
    row.gop_s = row.peak_gop_s = row.ops / row.time_ns_median;
    row_format_dimensions(row.block, job->launch.block);
    row_format_dimensions(row.grid, job->launch.grid);
    return run_emit(job->run, &row, error);
}

static enum status build_and_measure(struct job *job, struct error *error) {
    const struct kernel_request request = {
        .source = &source, .entry = "min_plus_peak", KERNEL_CONSTANTS({"OPERATION", job->operation})};
    TRY(device_build(run_device(job->run), &request, &job->kernel, error));
    const enum status status = measure_operation(job, error);
    device_discard(run_device(job->run), job->kernel);
    return status;
}

enum status apsp_measure_gpu_peak(struct run *run, const struct point *point, struct error *error) {
    (void)point;
    const struct device_info *info = run_info(run);
    const uint32_t blocks = info->predicted ? 2 : info->compute_units * BLOCKS_PER_UNIT;
    struct job job = {.run = run, .threads = blocks * BLOCK};
    enum status status = device_allocate(run_device(job.run), job.threads * sizeof(uint32_t), &job.results, error);
    job.arguments[0] = argument_pointer(job.results);
    job.launch = (struct launch){
        .grid = {blocks, 1, 1}, .block = {BLOCK, 1, 1}, .arguments = job.arguments, .argument_count = 2};
    for (; job.operation < sizeof operations / sizeof *operations && status == STATUS_OK; job.operation++) {
        status = build_and_measure(&job, error);
    }
    device_release(run_device(job.run), job.results);
    return status;
}
