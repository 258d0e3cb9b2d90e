#include "apsp/apsp_gpu_steps.h"

#include <math.h>

#include "apsp/apsp_report.h"
#include "apsp/solve/gpu_arithmetic.h"
#include "apsp/solve/gpu_round.h"
#include "apsp/solve/team_exchange.h"
#include "apsp/solve/team_solve.h"
#include "model/time/time_constants.h"
#include "util/clock.h"

enum {
    SOLUTIONS_MOST = 9, // that are timed step by step
    STEP_LAUNCHES = 10  // more than any step has
};

// The step is queued between two events while the GPU is still busy, so that the time between them does not contain
// what the host takes to launch. A profiler times nothing, and would count the kernel that keeps the GPU busy.
static enum status begin_time(struct apsp_job *job, size_t index, struct error *error) {
    struct bench_device *bench = job->benches[index];
    if (bench->device->info.predicted) {
        device_predict_begin(bench->device);
        return STATUS_OK;
    }
    if (!job->run->settings->counting) {
        TRY(bench_device_hold_for(bench, STEP_LAUNCHES, error));
    }
    return device_event_record(bench->device, bench->start, error);
}

static enum status start_step(struct apsp_job *job, size_t index, enum apsp_step step, uint32_t pivot,
                              struct error *error) {
    struct apsp_gpu *gpu = &job->team.gpus[index];
    TRY(begin_time(job, index, error));
    gpu->counts = device_counts_launches(gpu->device) ? &job->tallies[step].counts : NULL;
    const enum status status = apsp_round_step(gpu, NULL, step, pivot, error);
    gpu->counts = NULL;
    return status == STATUS_OK ? device_event_record(gpu->device, job->benches[index]->stop, error) : status;
}

// The model predicts the time of memory requests. If the arithmetic takes longer, its time counts.
static double predicted_ns(struct apsp_job *job, size_t index, enum apsp_step step, uint32_t pivot) {
    struct apsp_tally *tally = &job->tallies[step];
    const struct prediction prediction = device_predict_end(job->benches[index]->device);
    const double least_ns = apsp_gpu_least_ns(&job->team.gpus[index], step, pivot);
    tally->bound_ns += fmax(prediction.bound.ns, least_ns) / (double)job->team.count;
    tally->bound_by = least_ns > prediction.bound.ns ? "arithmetic" : resource_name(prediction.bound.by);
    return fmax(prediction.ns, least_ns) + time_constants.events_ns;
}

static enum status end_step(struct apsp_job *job, size_t index, enum apsp_step step, uint32_t pivot, double *time_ns,
                            struct error *error) {
    const struct bench_device *bench = job->benches[index];
    TRY(device_synchronize(bench->device, error));
    if (bench->device->info.predicted) {
        *time_ns = predicted_ns(job, index, step, pivot);
    } else {
        TRY(device_event_elapsed(bench->device, bench->start, bench->stop, time_ns, error));
    }
    job->tallies[step].launches++;
    return STATUS_OK;
}

// Times one step on each GPU. The slowest GPU's time counts.
static enum status measure_step(void *context, enum apsp_step step, uint32_t pivot, struct error *error) {
    struct apsp_job *job = context;
    double slowest_ns = 0;
    enum status status = STATUS_OK;
    if (step == APSP_UNPAD && !apsp_gpu_has_kernel(first_gpu(job), step)) {
        return STATUS_OK;
    }
    for (size_t i = 0; i < job->team.count && status == STATUS_OK; i++) {
        status = start_step(job, i, step, pivot, error);
    }
    for (size_t i = 0; i < job->team.count && status == STATUS_OK; i++) {
        double time_ns = 0;
        status = end_step(job, i, step, pivot, &time_ns, error);
        slowest_ns = fmax(slowest_ns, time_ns);
    }
    job->tallies[step].time_ns += slowest_ns;
    return status;
}

static enum status measure_exchange(void *context, uint32_t pivot, struct error *error) {
    struct apsp_job *job = context;
    const double start = clock_ns();
    enum status status = apsp_team_exchange(&job->team, pivot, error);
    job->exchange_ns += clock_ns() - start;
    return status;
}

enum status apsp_measure_steps(struct apsp_job *job, struct error *error) {
    const struct apsp_progress progress = {apsp_show_round, &job->progress};
    const struct apsp_step_visitor visitor = {measure_step, measure_exchange, job, &progress};
    const uint32_t rounds = job->transfers ? 0 : first_round_alone(job) ? 1 : first_gpu(job)->rounds;
    return apsp_team_visit(&job->team, rounds, &visitor, error);
}

static enum status time_solution(struct apsp_job *job, struct error *error) {
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        job->tallies[step].launches = 0;
        job->tallies[step].time_ns = 0;
    }
    job->exchange_ns = 0;
    job->progress = progress_start(first_gpu(job)->rounds, job->run->settings->quiet);
    return apsp_measure_steps(job, error);
}

// Whether another solution is timed: as many as the user asks for, or as the least time of a measurement allows.
static bool goes_on(const struct settings *settings, size_t count, double spent_s) {
    if (count >= SOLUTIONS_MOST) {
        return false;
    }
    return settings->samples > 0 ? count < settings->samples : spent_s < settings->min_time_s;
}

enum status apsp_time_steps(struct apsp_job *job, struct error *error) {
    double step_ns[APSP_STEPS][SOLUTIONS_MOST], exchange_ns[SOLUTIONS_MOST];
    const double start_s = clock_s();
    size_t count = 0;
    enum status status;
    do {
        status = time_solution(job, error);
        for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
            step_ns[step][count] = job->tallies[step].time_ns;
        }
        exchange_ns[count++] = job->exchange_ns;
    } while (status == STATUS_OK && goes_on(job->run->settings, count, clock_s() - start_s));
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        struct apsp_tally *tally = &job->tallies[step];
        tally->samples = count;
        tally->solution_ns = statistics_of(step_ns[step], count);
        tally->time_ns = tally->solution_ns.median;
    }
    job->exchange_ns = statistics_of(exchange_ns, count).median;
    return status;
}
