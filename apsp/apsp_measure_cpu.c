// A point on the CPU: a whole solution, beside the rate of add-min instructions alone, or only that rate.
#include <math.h>
#include <stdio.h>

#include "apsp/apsp_input.h"
#include "apsp/apsp_output.h"
#include "apsp/apsp_session.h"
#include "apsp/solve/check.h"
#include "apsp/solve/cpu.h"
#include "apsp/solve/cpu_solver.h"
#include "apsp/solve/next_hops.h"
#include "util/clock.h"
#include "util/terminal.h"

enum {
    PEAK_WINDOWS = 16
};

struct job {
    struct run *run;
    const struct apsp_input *input;
    const struct apsp_cpu_method *method;
    struct apsp_cpu_problem problem;
    uint32_t width_bytes;                   // of the distances that it computed with
    const struct apsp_hop_edges *hop_edges; // NULL: no paths are wanted
    double paths_ns;                        // the time to find them, in the latest run
    uint64_t from, to, scratch, next;       // addresses
    uint64_t paths;                         // that the next hops make
    struct apsp_cpu_peak peak;              // measured between the samples
};

static size_t matrix_bytes(const struct job *job) {
    return (size_t)job->input->graph.vertices * job->input->graph.vertices * sizeof(int32_t);
}

static int32_t *next_hops(const struct job *job) {
    return (int32_t *)(uintptr_t)job->next; // an address on this device is one of the host
}

static enum status poison(void *context, struct error *error) {
    struct job *job = context;
    struct device *device = run_device(job->run);
    TRY(device_poison(device, job->to, matrix_bytes(job), error));
    return job->next ? device_poison(device, job->next, matrix_bytes(job), error) : STATUS_OK;
}

// On the CPU the loops are called directly, because a kernel launched there would only wrap this call.
static enum status enqueue(void *context, struct error *error) {
    struct job *job = context;
    (void)error;
    job->width_bytes = job->method->solve(&job->problem);
    if (job->hop_edges) {
        const double start = clock_ns();
        apsp_next_hops(job->hop_edges, job->problem.output, next_hops(job));
        job->paths_ns = clock_ns() - start;
    }
    return STATUS_OK;
}

// A window between two samples sees the clock that they see. It is as long as what was done since the last one, so that
// short samples are not drowned in it.
static enum status measure_peak(void *context, struct error *error) {
    struct job *job = context;
    (void)error;
    apsp_cpu_peak_window(&job->peak, job->width_bytes, clock_ns() - job->peak.ended_ns);
    return STATUS_OK;
}

// Only the first run, which is not timed, shows its progress.
static enum status check(void *context, bool *right, struct error *error) {
    struct job *job = context;
    if (job->problem.progress) {
        progress_clear(job->problem.progress);
        job->problem.progress = NULL;
    }
    const struct graph *graph = &job->input->graph;
    const int32_t *distances = job->problem.output;
    TRY(apsp_check(graph, distances, right, error));
    return *right && job->next ? apsp_next_hops_check(graph, distances, next_hops(job), right, &job->paths, error)
                               : STATUS_OK;
}

static enum status prepare(struct job *job, struct error *error) {
    struct device *device = run_device(job->run);
    const size_t bytes = matrix_bytes(job);
    TRY(device_allocate(device, bytes, &job->from, error));
    TRY(device_allocate(device, bytes, &job->to, error));
    const uint64_t scratch_bytes = job->method->scratch_bytes(job->input->graph.vertices);
    TRY(device_allocate(device, scratch_bytes, &job->scratch, error));
    if (job->hop_edges) {
        TRY(device_allocate(device, bytes, &job->next, error));
    }
    job->problem = (struct apsp_cpu_problem){
        .input = (const int32_t *)(uintptr_t)job->from,
        .output = (int32_t *)(uintptr_t)job->to,
        .scratch = (void *)(uintptr_t)job->scratch,
        .vertices = job->input->graph.vertices,
        .max_weight = job->input->max_weight,
    };
    return device_copy_to_device(device, job->from, job->input->distances, bytes, error);
}

static void release(struct job *job) {
    DEVICE_RELEASE(run_device(job->run), job->from, job->to, job->scratch, job->next);
    apsp_cpu_peak_release(&job->peak);
}

static enum status emit(struct job *job, const struct measurement *measurement, struct error *error) {
    struct row row = apsp_row(job->run, job->input, "all");
    const double n = job->input->graph.vertices;
    row.width_bytes = job->width_bytes;
    if (job->next) {
        row.paths = job->paths;
    }
    row.ops = n * n * n;
    row.peak_gop_s = apsp_cpu_peak_median(&job->peak);
    row_finish(&row, job->run, measurement, NAN); // which compares the rate with its peak
    return run_emit(job->run, &row, error);
}

static enum status measure_job(struct job *job, struct error *error) {
    const struct trial trial = {job, poison, enqueue, check};
    const struct apsp_cpu_method *method = job->method;
    struct progress progress =
        progress_start(apsp_cpu_rounds(method, job->input->graph.vertices), job->run->settings->quiet);
    struct measurement measurement;
    const struct work peak = {measure_peak, job};
    job->problem.progress = &progress;
    TRY(run_trial_beside(job->run, &trial, &peak, &measurement, error));
    TRY(apsp_emit_input(job->run, job->input, error));
    TRY(emit(job, &measurement, error));
    if (job->next) {
        TRY(apsp_emit_time(job->run, job->input, "next_hops", job->paths_ns, (double)matrix_bytes(job), error));
    }
    return apsp_emit_output(job->run, job->input, job->problem.output, next_hops(job), error);
}

enum status apsp_measure_cpu(struct run *run, const struct point *point, struct error *error) {
    struct job job = {.run = run, .method = apsp_detail_of(point)->cpu};
    TRY(apsp_input_distances(run, apsp_vertices(run, point), &job.input, error));
    enum status status = apsp_input_hop_edges(run, &job.hop_edges, error);
    THEN(status, prepare(&job, error));
    THEN(status, measure_job(&job, error));
    release(&job);
    return status;
}

static enum status measure_peak_row(struct run *run, uint32_t width_bytes, struct error *error) {
    struct apsp_cpu_peak peak = {0};
    for (int window = 0; window < PEAK_WINDOWS; window++) {
        apsp_cpu_peak_window(&peak, width_bytes, INFINITY);
    }
    struct row row = run_row(run);
    snprintf(row.op, sizeof row.op, "add-min");
    snprintf(row.verdict, sizeof row.verdict, "ok");
    row.peak_gb_s = NAN;
    row.width_bytes = width_bytes;
    row.samples = peak.windows;
    row.gop_s = apsp_cpu_peak_median(&peak);
    row.peak_gop_s = apsp_cpu_peak_best(&peak);
    apsp_cpu_peak_release(&peak);
    return run_emit(run, &row, error);
}

enum status apsp_measure_cpu_peak(struct run *run, const struct point *point, struct error *error) {
    (void)point;
    TRY(measure_peak_row(run, sizeof(int32_t), error));
    return measure_peak_row(run, sizeof(int16_t), error);
}
