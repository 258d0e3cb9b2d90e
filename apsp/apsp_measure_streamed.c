// A solution whose matrix stays in the host's memory.
#include <math.h>
#include <stdlib.h>

#include "apsp/apsp_input.h"
#include "apsp/apsp_output.h"
#include "apsp/solve/check.h"
#include "apsp/solve/gpu_round.h"
#include "apsp/solve/streamed.h"

struct job {
    struct run *run;
    const struct apsp_input *input;
    struct apsp_streamed streamed;
    int32_t *distances; // the result
};

// A solution begins with the matrix of edges, which overwrites the result of an earlier one.
static enum status restore(void *context, struct error *error) {
    struct job *job = context;
    (void)error;
    apsp_streamed_fill(&job->streamed, job->input->distances);
    return STATUS_OK;
}

static enum status enqueue(void *context, struct error *error) {
    struct job *job = context;
    return apsp_streamed_enqueue(&job->streamed, error);
}

static enum status check(void *context, bool *right, struct error *error) {
    struct job *job = context;
    apsp_streamed_read(&job->streamed, job->distances);
    return apsp_check(&job->input->graph, job->distances, right, error);
}

static enum status emit(struct job *job, const struct measurement *measurement, struct error *error) {
    const struct apsp_gpu peak = {.device = run_device(job->run), .settings = apsp_register_settings(32)};
    struct row row = apsp_row(job->run, job->input, "all");
    const double n = job->input->graph.vertices;
    row.tile = job->streamed.strip;
    row.width_bytes = sizeof(int32_t);
    row.ops = n * n * n;
    row.peak_gop_s = apsp_gpu_peak_gop_s(&peak, measurement->clock_mhz);
    row_finish(&row, job->run, measurement, NAN); // before the footprint, whose size no cache limits
    row.footprint_bytes = apsp_streamed_bytes(job->input->graph.vertices, job->streamed.strip);
    return run_emit(job->run, &row, error);
}

static enum status measure_job(struct job *job, struct error *error) {
    const struct trial trial = {job, restore, enqueue, check};
    struct measurement measurement;
    job->distances = apsp_matrix_allocate(job->input->graph.vertices);
    TRY(job->distances ? apsp_streamed_prepare(&job->streamed, error)
                       : error_set(error, STATUS_FAILED, "out of memory: use fewer vertices"));
    TRY(run_trial(job->run, &trial, &measurement, error));
    TRY(emit(job, &measurement, error));
    return apsp_emit_output(job->run, job->input, job->distances, NULL, error);
}

enum status apsp_measure_streamed(struct run *run, const struct point *point, struct error *error) {
    struct device *device = run_device(run);
    const uint64_t limit = apsp_options_of(run)->memory_limit;
    const uint64_t memory_bytes = limit ? limit : device_free_bytes(&device->info);
    struct job job = {.run = run};
    TRY(apsp_input_distances(run, apsp_vertices(run, point), &job.input, error));
    job.streamed = apsp_streamed_make(device, job.input->graph.vertices, memory_bytes);
    if (job.streamed.strip == 0) {
        return error_set(
            error, STATUS_USAGE, "%u vertices need %.3g GB of the GPU's memory for the smallest strips: %s",
            job.input->graph.vertices, (double)apsp_streamed_bytes(job.input->graph.vertices, APSP_REGISTER_TILE) / 1e9,
            limit ? "raise --memory-limit" : "use fewer vertices");
    }
    const enum status status = measure_job(&job, error);
    apsp_streamed_release(&job.streamed);
    free(job.distances);
    return status;
}
