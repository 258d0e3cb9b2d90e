// The GPU's variants as rows: a solution is a list of launches, its steps. The whole is timed as one; then once more
// step by step, for the time and the counts of each kernel.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apsp/apsp_gpu.h"
#include "bench/progress.h"

enum {
    POISON = 0xA5
};

// What all launches of one kernel came to.
struct tally {
    uint64_t launches;
    double time_ns;
    struct launch_counts counts;
};

struct job {
    struct run *run;
    const struct apsp_input *input;
    struct apsp_gpu gpu;
    double copy_in_ns, copy_out_ns;
    struct tally *tallies; // of each step; NULL: the steps follow one another unmeasured
    struct progress progress;
    int32_t *distances; // the result, on the host
};

// Only some blocks of the first round are simulated.
static bool sampled(const struct job *job) {
    return job->gpu.device->info.simulated_blocks > 0;
}

// ---- Steps ----

static void add_memory(struct memory_counts *sum, const struct memory_counts *more) {
    sum->requests += more->requests;
    sum->lane_bytes += more->lane_bytes;
    sum->sectors += more->sectors;
    sum->lines += more->lines;
    sum->passes += more->passes;
    sum->conflicts += more->conflicts;
    sum->unique_bytes += more->unique_bytes;
}

static void add_counts(struct launch_counts *sum, const struct launch_counts *more) {
    add_memory(&sum->global_load, &more->global_load);
    add_memory(&sum->global_store, &more->global_store);
    add_memory(&sum->shared_load, &more->shared_load);
    add_memory(&sum->shared_store, &more->shared_store);
    sum->warps += more->warps;
    sum->instructions += more->instructions;
    sum->lane_steps += more->lane_steps;
    sum->branches += more->branches;
}

// One step on its own, between two events.
static enum status measure_step(struct job *job, enum apsp_step step, uint32_t pivot, struct error *error) {
    struct device *device = job->gpu.device;
    const struct device_operations *operations = device->operations;
    struct bench_device *bench = job->run->bench_device;
    struct tally *tally = &job->tallies[step];
    double time_ns = 0;
    enum status status = operations->event_record(device, bench->start, error);
    status = status == STATUS_OK ? apsp_gpu_launch(&job->gpu, step, pivot, error) : status;
    status = status == STATUS_OK ? operations->event_record(device, bench->stop, error) : status;
    status = status == STATUS_OK ? operations->synchronize(device, error) : status;
    status =
        status == STATUS_OK ? operations->event_elapsed(device, bench->start, bench->stop, &time_ns, error) : status;
    if (status == STATUS_OK && operations->counts) {
        struct launch_counts counts;
        status = operations->counts(device, &counts, error);
        add_counts(&tally->counts, &counts);
    }
    tally->launches++;
    tally->time_ns += time_ns;
    return status;
}

static enum status run_step(struct job *job, enum apsp_step step, uint32_t pivot, struct error *error) {
    return job->tallies ? measure_step(job, step, pivot, error) : apsp_gpu_launch(&job->gpu, step, pivot, error);
}

static enum status run_round(struct job *job, uint32_t pivot, struct error *error) {
    enum status status = run_step(job, APSP_PHASE1, pivot, error);
    if (job->gpu.tiles > 1) {
        status = status == STATUS_OK ? run_step(job, APSP_PHASE2, pivot, error) : status;
        status = status == STATUS_OK ? run_step(job, APSP_PHASE3, pivot, error) : status;
    }
    if (job->tallies) {
        progress_advance(&job->progress);
        progress_show(&job->progress, "rounds");
    }
    return status;
}

static enum status run_steps(void *context, struct error *error) {
    struct job *job = context;
    enum status status = run_step(job, APSP_PAD, 0, error);
    for (uint32_t pivot = 0; pivot < (sampled(job) ? 1 : job->gpu.rounds) && status == STATUS_OK; pivot++) {
        status = run_round(job, pivot, error);
    }
    return status == STATUS_OK ? run_step(job, APSP_UNPAD, 0, error) : status;
}

// ---- Before and after ----

static enum status prepare(struct job *job, struct error *error) {
    enum status status = apsp_gpu_prepare(&job->gpu, error);
    job->distances = malloc(apsp_gpu_matrix_bytes(&job->gpu));
    if (status == STATUS_OK && !job->distances) {
        status = error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    }
    const double start = apsp_now_ns();
    status = status == STATUS_OK ? apsp_gpu_copy_in(&job->gpu, job->input->distances, error) : status;
    job->copy_in_ns = apsp_now_ns() - start;
    return status;
}

static void release(struct job *job) {
    apsp_gpu_release(&job->gpu);
    free(job->distances);
}

static enum status poison(void *context, struct error *error) {
    struct job *job = context;
    return apsp_gpu_poison(&job->gpu, error);
}

static enum status copy_out(struct job *job, struct error *error) {
    struct device *device = job->gpu.device;
    memset(job->distances, POISON, apsp_gpu_matrix_bytes(&job->gpu)); // and the pages are there before the clock runs
    const double start = apsp_now_ns();
    enum status status =
        device->operations->copy_to_host(device, job->distances, job->gpu.to, apsp_gpu_matrix_bytes(&job->gpu), error);
    job->copy_out_ns = apsp_now_ns() - start;
    return status;
}

static enum status check(void *context, bool *right, struct error *error) {
    struct job *job = context;
    enum status status = copy_out(job, error);
    return status == STATUS_OK ? apsp_check(job->input, job->distances, right, error) : status;
}

// ---- Rows ----

static struct row row_of(const struct job *job, const char *kernel) {
    struct row row = apsp_row(job->run, job->input, kernel);
    row.tile = job->gpu.shape.tile;
    row.width_bytes = job->gpu.bits / 8;
    row_format_dimensions(row.block, job->gpu.shape.block);
    return row;
}

static struct launch_counts mean_counts(const struct tally *tally) {
    struct launch_counts mean = tally->counts;
    double *values[] = {&mean.warps, &mean.instructions, &mean.lane_steps, &mean.branches};
    struct memory_counts *memories[] = {&mean.global_load, &mean.global_store, &mean.shared_load, &mean.shared_store};
    const double launches = (double)tally->launches;
    for (size_t i = 0; i < 4; i++) {
        struct memory_counts *m = memories[i];
        double *of_memory[] = {&m->requests, &m->lane_bytes, &m->sectors,     &m->lines,
                               &m->passes,   &m->conflicts,  &m->unique_bytes};
        *values[i] /= launches;
        for (size_t k = 0; k < sizeof of_memory / sizeof *of_memory; k++) {
            *of_memory[k] /= launches;
        }
    }
    return mean;
}

// A phase's updates in all rounds.
static double updates_of(const struct job *job, enum apsp_step step) {
    const double tile = job->gpu.shape.tile, others = job->gpu.tiles - 1.0,
                 of_tile = tile * tile * tile * job->gpu.rounds;
    if (job->gpu.detail->kind == APSP_REGISTERS && step == APSP_PHASE3) {
        return (double)job->gpu.tiles * job->gpu.tiles * of_tile; // it covers the whole matrix
    }
    return step == APSP_PHASE1   ? of_tile
           : step == APSP_PHASE2 ? 2 * others * of_tile
           : step == APSP_PHASE3 ? others * others * of_tile
                                 : NAN;
}

static enum status emit_step(struct job *job, enum apsp_step step, struct error *error) {
    const struct tally *tally = &job->tallies[step];
    struct row row = row_of(job, apsp_step_name(step));
    if (tally->launches == 0) {
        return STATUS_OK;
    }
    if (job->gpu.device->operations->counts) {
        const struct launch_counts counts = mean_counts(tally);
        row_set_counts(&row, &counts, job->gpu.device->info.gpu);
    } else {
        row.samples = 1;
    }
    row_format_dimensions(row.block, apsp_gpu_block(&job->gpu, step));
    row_format_dimensions(row.grid, apsp_gpu_grid(&job->gpu, step));
    row.time_ns_median = tally->time_ns;
    row.ops = updates_of(job, step);
    row.gop_s = row.ops / row.time_ns_median;
    snprintf(row.verdict, sizeof row.verdict, "ok");
    return run_emit(job->run, &row, error);
}

static enum status emit_rows(struct job *job, const struct measurement *measurement, enum verification verification,
                             struct error *error) {
    struct row row = row_of(job, "all");
    const double n = job->gpu.vertices;
    const bool host_times = !job->gpu.device->info.predicted; // beside predictions they would say nothing
    enum status status = apsp_emit_input(job->run, job->input, error);
    status = status == STATUS_OK && host_times
                 ? apsp_emit_time(job->run, job->input, "copy-in", job->copy_in_ns, 4 * n * n, error)
                 : status;
    for (enum apsp_step step = 0; step < APSP_STEPS && status == STATUS_OK; step++) {
        status = emit_step(job, step, error);
    }
    if (status == STATUS_OK && host_times) {
        status = apsp_emit_time(job->run, job->input, "copy-out", job->copy_out_ns, 4 * n * n, error);
    }
    row_finish(&row, job->run, measurement, NAN, verification);
    row.ops = n * n * n;
    row.gop_s = row.ops / row.time_ns_median;
    status = status == STATUS_OK ? run_emit(job->run, &row, error) : status;
    return status == STATUS_OK && !sampled(job) ? apsp_emit_output(job->run, job->input, job->distances, error)
                                                : status;
}

// ---- Measuring ----

// Of a simulated device: one run, step by step, is the verification, the prediction and the counts.
static enum status predict(struct job *job, struct measurement *measurement, enum verification *verification,
                           struct error *error) {
    bool right = false;
    *measurement = (struct measurement){.clock_mhz = NAN, .time_ns = {0, NAN, NAN, 0, NAN}};
    enum status status = poison(job, error);
    status = status == STATUS_OK ? run_steps(job, error) : status;
    if (status == STATUS_OK && !sampled(job)) {
        status = check(job, &right, error);
    }
    *verification = sampled(job) ? VERIFICATION_NONE : right ? VERIFICATION_PASSED : VERIFICATION_FAILED;
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        job->tallies[step].time_ns *= sampled(job) && !apsp_step_is_copy(step) ? job->gpu.rounds : 1;
        measurement->time_ns.median += job->tallies[step].time_ns;
    }
    return status;
}

static enum status time_all(struct job *job, struct tally *tallies, struct measurement *measurement,
                            enum verification *verification, struct error *error) {
    const struct trial trial = {job, poison, run_steps, check};
    enum status status = run_trial(job->run, &trial, measurement, verification, error);
    job->tallies = tallies;
    return status == STATUS_OK ? run_steps(job, error) : status;
}

// Whether 16 bits held every distance. On the way to a farther vertex distances grow by no more than the heaviest edge,
// so where the largest one found is that much below APSP_FAR16, there is none beyond it.
static enum status check_width(const struct job *job, bool *held, struct error *error) {
    uint32_t most = 0;
    *held = true;
    if (job->gpu.bits == 32 || sampled(job)) {
        return STATUS_OK;
    }
    enum status status =
        job->gpu.device->operations->copy_to_host(job->gpu.device, &most, job->gpu.most, sizeof most, error);
    *held = most + (uint32_t)job->input->max_weight < APSP_FAR16;
    return status;
}

static enum status measure_job(struct job *job, bool *held, struct error *error) {
    struct tally tallies[APSP_STEPS] = {0};
    struct measurement measurement;
    enum verification verification;
    enum status status;
    job->progress = progress_start(job->gpu.rounds, job->run->settings->quiet);
    if (job->gpu.device->info.predicted) {
        job->tallies = tallies;
        status = predict(job, &measurement, &verification, error);
    } else {
        status = time_all(job, tallies, &measurement, &verification, error);
    }
    progress_clear(&job->progress);
    status = status == STATUS_OK ? check_width(job, held, error) : status;
    return status == STATUS_OK && *held ? emit_rows(job, &measurement, verification, error) : status;
}

enum status apsp_measure_gpu(struct run *run, const struct point *point, struct error *error) {
    const struct apsp_detail *detail = point->variant->detail;
    struct device *device = run->bench_device->device;
    const struct apsp_input *input;
    bool held = false;
    enum status status = apsp_input_get(run, apsp_vertices(run, point), &input, error);
    uint32_t bits = detail->bits == 16 && input->max_weight < APSP_FAR16 ? 16 : 32;
    for (; bits <= 32 && status == STATUS_OK && !held; bits *= 2) { // 16 bits may turn out too few
        struct job job = {.run = run, .input = input, .gpu = apsp_gpu_make(device, point, input->graph.vertices, bits)};
        status = prepare(&job, error);
        status = status == STATUS_OK ? measure_job(&job, &held, error) : status;
        release(&job);
    }
    return status;
}
