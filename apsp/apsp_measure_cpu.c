// The CPU's variants as rows: the whole solution, from the matrix of distances to the finished one, and the rate of
// bare add-min instructions beside it.
#include <math.h>
#include <stdio.h>

#include "apsp/apsp.h"
#include "apsp/solve/cpu.h"

enum {
    POISON = 0xA5
};

struct job {
    struct run *run;
    const struct apsp_input *input;
    const struct apsp_cpu_variant *variant;
    uint64_t from, to, scratch; // addresses
    struct kernel *kernel;
    struct apsp_cpu_report report;
    struct argument arguments[6];
    struct launch launch;
};

static struct device *device_of(const struct job *job) {
    return job->run->bench_device->device;
}

static size_t matrix_bytes(const struct job *job) {
    return (size_t)job->input->graph.vertices * job->input->graph.vertices * sizeof(int32_t);
}

static const int32_t *result(const struct job *job) {
    return (const int32_t *)(uintptr_t)job->to; // a device address of this backend is a host address
}

static enum status poison(void *context, struct error *error) {
    struct job *job = context;
    struct device *device = device_of(job);
    return device_fill(device, job->to, POISON, matrix_bytes(job), error);
}

static enum status enqueue(void *context, struct error *error) {
    struct job *job = context;
    struct device *device = device_of(job);
    return device_launch(device, job->kernel, &job->launch, error);
}

// The first run, which is not timed, is the one that shows its progress.
static enum status check(void *context, bool *right, struct error *error) {
    struct job *job = context;
    if (job->report.progress) {
        progress_clear(job->report.progress);
        job->report.progress = NULL;
    }
    return apsp_check(job->input, result(job), right, error);
}

static enum status prepare(struct job *job, struct error *error) {
    struct device *device = device_of(job);
    const struct kernel_request request = {.entry = job->variant->name, .native = job->variant->solve};
    const size_t bytes = matrix_bytes(job);
    const uint32_t vertices = job->input->graph.vertices;
    enum status status = device_build(device, &request, &job->kernel, error);
    status = status == STATUS_OK ? device_allocate(device, bytes, &job->from, error) : status;
    status = status == STATUS_OK ? device_allocate(device, bytes, &job->to, error) : status;
    if (status == STATUS_OK) {
        status = device_allocate(device, apsp_cpu_scratch_bytes(job->variant, vertices), &job->scratch, error);
    }
    if (status == STATUS_OK) {
        status = device_copy_to_device(device, job->from, job->input->distances, bytes, error);
    }
    job->arguments[0] = argument_pointer(job->from);
    job->arguments[1] = argument_pointer(job->to);
    job->arguments[2] = argument_pointer(job->scratch);
    job->arguments[3] = argument_u32(vertices);
    job->arguments[4] = argument_u32((uint32_t)job->input->max_weight);
    job->arguments[5] = argument_pointer((uintptr_t)&job->report);
    job->launch = (struct launch){{1, 1, 1}, {1, 1, 1}, 0, job->arguments, 6};
    return status;
}

static void release(struct job *job) {
    struct device *device = device_of(job);
    const uint64_t addresses[] = {job->from, job->to, job->scratch};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (addresses[i]) {
            device_release(device, addresses[i]);
        }
    }
    if (job->kernel) {
        device_discard(device, job->kernel);
    }
}

static enum status emit(struct job *job, const struct measurement *measurement, enum verification verification,
                        double peak, struct error *error) {
    struct row row = apsp_row(job->run, job->input, "all");
    const double n = job->input->graph.vertices;
    row_finish(&row, job->run, measurement, NAN, verification);
    row.width_bytes = job->report.width_bytes;
    row.ops = n * n * n;
    row.gop_s = row.ops / measurement->time_ns.median;
    row.peak_gop_s =
        row.width_bytes == job->variant->width_bytes ? peak : apsp_cpu_peak_gop_s((uint32_t)row.width_bytes);
    return run_emit(job->run, &row, error);
}

static enum status measure_job(struct job *job, struct error *error) {
    const struct trial trial = {job, poison, enqueue, check};
    struct progress progress =
        progress_start(apsp_cpu_rounds(job->variant, job->input->graph.vertices), job->run->settings->quiet);
    struct measurement measurement;
    enum verification verification;
    const double peak = apsp_cpu_peak_gop_s(job->variant->width_bytes);
    job->report.progress = &progress;
    enum status status = run_trial(job->run, &trial, &measurement, &verification, error);
    if (status == STATUS_OK) {
        status = apsp_emit_input(job->run, job->input, error);
    }
    if (status == STATUS_OK) {
        status = emit(job, &measurement, verification, peak, error);
    }
    return status == STATUS_OK ? apsp_emit_output(job->run, job->input, result(job), error) : status;
}

enum status apsp_measure_cpu(struct run *run, const struct point *point, struct error *error) {
    struct job job = {.run = run, .variant = apsp_cpu_find(point->variant->name)};
    enum status status = apsp_input_get(run, apsp_vertices(run, point), &job.input, error);
    if (status == STATUS_OK) {
        status = prepare(&job, error);
        status = status == STATUS_OK ? measure_job(&job, error) : status;
        release(&job);
    }
    return status;
}

enum status apsp_measure_cpu_peak(struct run *run, struct error *error) {
    enum status status = STATUS_OK;
    for (uint32_t width = 4; width >= 2 && status == STATUS_OK; width -= 2) {
        struct row row = run_row(run);
        snprintf(row.op, sizeof row.op, "add-min");
        snprintf(row.verdict, sizeof row.verdict, "ok");
        row.peak_gb_s = NAN;
        row.width_bytes = width;
        row.gop_s = row.peak_gop_s = apsp_cpu_peak_gop_s(width);
        status = run_emit(run, &row, error);
    }
    return status;
}
