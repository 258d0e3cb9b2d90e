// The GPU's variants, measured: a solution is a list of launches, its steps, on one device or on several that share it.
// The whole is timed as one; then once more step by step, for the time and the counts of each kernel.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apsp/apsp_gpu_job.h"
#include "apsp/apsp_link.h"

enum {
    POISON = 0xA5
};

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
    sum->sampled |= more->sampled;
    sum->sampling_error_pct += more->sampling_error_pct;
}

static enum status start_step(struct apsp_job *job, size_t index, enum apsp_step step, uint32_t pivot,
                              struct error *error) {
    struct device *device = job->team.gpus[index].device;
    enum status status = device_event_record(device, job->benches[index]->start, error);
    status = status == STATUS_OK ? apsp_gpu_launch(&job->team.gpus[index], NULL, step, pivot, error) : status;
    return status == STATUS_OK ? device_event_record(device, job->benches[index]->stop, error) : status;
}

// A prediction knows what the kernel asks of memory; that arithmetic may take longer is known here.
static enum status end_step(struct apsp_job *job, size_t index, enum apsp_step step, uint32_t pivot, double *time_ns,
                            struct error *error) {
    struct apsp_tally *tally = &job->tallies[step];
    struct device *device = job->team.gpus[index].device;
    const struct bench_device *bench = job->benches[index];
    enum status status = device_synchronize(device, error);
    status = status == STATUS_OK ? device_event_elapsed(device, bench->start, bench->stop, time_ns, error) : status;
    if (status == STATUS_OK && device_counts_launches(device) && apsp_gpu_has_kernel(&job->team.gpus[index], step)) {
        struct launch_counts counts;
        status = device_counts(device, &counts, error);
        add_counts(&tally->counts, &counts);
    }
    if (device->info.predicted) {
        const double least_ns = apsp_gpu_least_ns(&job->team.gpus[index], step, pivot);
        const struct launch_bound bound = device->operations->event_bound(bench->start, bench->stop);
        *time_ns = fmax(*time_ns, least_ns);
        tally->bound_ns += fmax(bound.ns, least_ns) / (double)job->team.count;
        tally->bound_by = least_ns > bound.ns ? "arithmetic" : resource_name(bound.by);
    }
    tally->launches++;
    return status;
}

// One step on its own, between two events of each device; it takes as long as the slowest one.
static enum status measure_step(struct apsp_job *job, enum apsp_step step, uint32_t pivot, struct error *error) {
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

// Only a team of one takes its steps unmeasured here.
static enum status run_step(struct apsp_job *job, enum apsp_step step, uint32_t pivot, struct error *error) {
    return job->tallies ? measure_step(job, step, pivot, error)
                        : apsp_gpu_launch(&job->team.gpus[0], NULL, step, pivot, error);
}

static enum status exchange(struct apsp_job *job, uint32_t pivot, struct error *error) {
    const double start = apsp_now_ns();
    enum status status = apsp_team_exchange(&job->team, pivot, error);
    job->exchange_ns += apsp_now_ns() - start;
    return status;
}

static enum status run_round(struct apsp_job *job, uint32_t pivot, struct error *error) {
    enum status status = pivot > 0 && job->team.count > 1 ? exchange(job, pivot, error) : STATUS_OK;
    status = status == STATUS_OK ? run_step(job, APSP_PHASE1, pivot, error) : status;
    if (first_gpu(job)->tiles > 1) {
        status = status == STATUS_OK ? run_step(job, APSP_PHASE2, pivot, error) : status;
        status = status == STATUS_OK ? run_step(job, APSP_PHASE3, pivot, error) : status;
    }
    if (job->tallies) {
        progress_advance(&job->progress);
        progress_show(&job->progress, "rounds");
    }
    return status;
}

static enum status run_in_steps(struct apsp_job *job, struct error *error) {
    const uint32_t rounds = sampled(job) ? 1 : first_gpu(job)->rounds;
    enum status status = run_step(job, APSP_PAD, 0, error);
    for (uint32_t pivot = 0; pivot < (transfers(job) ? 0 : rounds) && status == STATUS_OK; pivot++) {
        status = run_round(job, pivot, error);
    }
    return status == STATUS_OK ? run_step(job, APSP_UNPAD, 0, error) : status;
}

// A whole solution, as fast as it goes.
static enum status enqueue(void *context, struct error *error) {
    struct apsp_job *job = context;
    return first_gpu(job)->detail->kind == APSP_REGISTERS && !transfers(job) ? apsp_team_enqueue(&job->team, error)
                                                                             : run_in_steps(job, error);
}

// ---- Before and after ----

static enum status pin(struct apsp_job *job, void *memory, struct error *error) {
    struct device *device = first_gpu(job)->device;
    enum status status = device_pin(device, memory, apsp_gpu_matrix_bytes(first_gpu(job)), error);
    job->pinned += status == STATUS_OK;
    return status;
}

// The result's matrix, and the one that is copied in unless it is the edges.
static enum status prepare_host(struct apsp_job *job, struct error *error) {
    const struct apsp_ways *ways = &first_gpu(job)->ways;
    job->distances = apsp_matrix_allocate(first_gpu(job)->vertices);
    if (!job->distances) {
        return error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    }
    memset(job->distances, POISON, apsp_gpu_matrix_bytes(first_gpu(job))); // the pages are there before the clock runs
    const double start = apsp_now_ns();
    enum status status = ways->pinned ? pin(job, job->distances, error) : STATUS_OK;
    if (ways->pinned && !ways->from_edges) {
        status = status == STATUS_OK ? pin(job, job->input->distances, error) : status;
    }
    job->pin_ns = apsp_now_ns() - start;
    return status;
}

// The first page that is pinned and the first copy are slow: where ways are compared, that is none's fault.
static enum status warm_up(struct apsp_job *job, struct error *error) {
    struct apsp_gpu *gpu = &job->team.gpus[0];
    struct device *device = gpu->device;
    void *page = page_allocate(1);
    enum status status = page ? device_pin(device, page, 1, error)
                              : error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    if (status == STATUS_OK) {
        device_unpin(device, page);
        status = apsp_gpu_copy_in(gpu, job->input, error);
    }
    free(page);
    return status;
}

static enum status prepare(struct apsp_job *job, struct error *error) {
    enum status status = apsp_team_prepare(&job->team, error);
    status = status == STATUS_OK && transfers(job) ? warm_up(job, error) : status;
    status = status == STATUS_OK ? prepare_host(job, error) : status;
    const double start = apsp_now_ns();
    for (size_t i = 0; i < job->team.count && status == STATUS_OK; i++) {
        status = apsp_gpu_copy_in(&job->team.gpus[i], job->input, error);
    }
    const double copied = apsp_now_ns();
    for (size_t i = 0; i < job->team.count && status == STATUS_OK; i++) {
        status = apsp_gpu_initialise(&job->team.gpus[i], error);
    }
    job->copy_in_ns = copied - start;
    job->initialise_ns = first_gpu(job)->ways.from_edges ? apsp_now_ns() - copied : job->input->initialise_ns;
    return status;
}

static void release(struct apsp_job *job) {
    struct device *device = first_gpu(job)->device;
    void *matrices[] = {job->distances, job->input->distances};
    for (size_t i = 0; i < job->pinned; i++) {
        device_unpin(device, matrices[i]);
    }
    apsp_team_release(&job->team);
    free(job->distances);
}

static enum status poison(void *context, struct error *error) {
    struct apsp_job *job = context;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < job->team.count && status == STATUS_OK; i++) {
        status = apsp_gpu_poison(&job->team.gpus[i], error);
    }
    return status;
}

static enum status copy_out(struct apsp_job *job, struct error *error) {
    memset(job->distances, POISON, apsp_gpu_matrix_bytes(first_gpu(job)));
    const double start = apsp_now_ns();
    enum status status = STATUS_OK;
    for (size_t i = 0; i < job->team.count && status == STATUS_OK; i++) {
        status = apsp_gpu_copy_out(&job->team.gpus[i], job->distances, error);
    }
    job->copy_out_ns = apsp_now_ns() - start;
    return status;
}

static enum status check(void *context, bool *right, struct error *error) {
    struct apsp_job *job = context;
    enum status status = copy_out(job, error);
    if (transfers(job)) {
        *right = memcmp(job->distances, job->input->distances, apsp_gpu_matrix_bytes(first_gpu(job))) == 0;
        return status;
    }
    return status == STATUS_OK ? apsp_check(job->input, job->distances, right, error) : status;
}

// ---- Measuring ----

// Of a simulated device: one run, step by step, is the verification, the prediction and the counts.
static enum status predict(struct apsp_job *job, struct measurement *measurement, enum verification *verification,
                           struct error *error) {
    bool right = false;
    *measurement = (struct measurement){.clock_mhz = NAN, .time_ns = {0, NAN, NAN, 0, NAN}, .bound_ns = NAN};
    enum status status = poison(job, error);
    status = status == STATUS_OK ? run_in_steps(job, error) : status;
    if (status == STATUS_OK && !sampled(job)) {
        status = check(job, &right, error);
    }
    *verification = sampled(job) ? VERIFICATION_LEFT_OUT : right ? VERIFICATION_PASSED : VERIFICATION_FAILED;
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        struct apsp_tally *tally = &job->tallies[step];
        const double rounds = sampled(job) && !apsp_step_is_of_matrix(step) ? first_gpu(job)->rounds : 1;
        tally->time_ns *= rounds;
        tally->bound_ns *= rounds;
        measurement->time_ns.median += tally->time_ns;
    }
    return status;
}

static enum status time_all(struct apsp_job *job, struct apsp_tally *tallies, struct measurement *measurement,
                            enum verification *verification, struct error *error) {
    const struct trial trial = {job, poison, enqueue, check};
    enum status status = run_trial(job->run, &trial, measurement, verification, error);
    job->tallies = tallies;
    return status == STATUS_OK ? run_in_steps(job, error) : status;
}

// Whether 16 bits held every distance. On the way to a farther vertex distances grow by no more than the heaviest edge,
// so where the largest one found is that much below APSP_FAR16, there is none beyond it.
static enum status check_width(const struct apsp_job *job, bool *held, struct error *error) {
    uint32_t most = 0;
    *held = true;
    const struct apsp_gpu *gpu = first_gpu(job);
    if (gpu->bits == 32 || sampled(job)) {
        return STATUS_OK;
    }
    enum status status = device_copy_to_host(gpu->device, &most, gpu->most, sizeof most, error);
    *held = most + (uint32_t)job->input->max_weight < APSP_FAR16;
    return status;
}

static enum status measure_job(struct apsp_job *job, bool *held, struct error *error) {
    struct apsp_tally tallies[APSP_STEPS] = {0};
    struct measurement measurement;
    enum verification verification;
    enum status status;
    job->progress = progress_start(first_gpu(job)->rounds, job->run->settings->quiet);
    if (info_of(job)->predicted) {
        job->tallies = tallies;
        status = predict(job, &measurement, &verification, error);
    } else {
        status = time_all(job, tallies, &measurement, &verification, error);
    }
    progress_clear(&job->progress);
    status = status == STATUS_OK ? check_width(job, held, error) : status;
    return status == STATUS_OK && *held ? apsp_job_emit(job, &measurement, verification, error) : status;
}

// The devices that solve a point: the run's, or the first of its backend, no more of them than there are rows of tiles.
static enum status find_devices(const struct run *run, const struct point *point, struct bench_device **found,
                                size_t *count, struct error *error) {
    const bool several = ((const struct apsp_detail *)point->variant->detail)->several;
    const size_t tiles = apsp_register_tiles(apsp_vertices(run, point)), wanted = point->values[APSP_DEVICES];
    *count = 0;
    for (size_t i = 0; i < run->device_count; i++) {
        struct bench_device *bench = &run->devices[i];
        if (several ? bench->device->info.backend == run->bench_device->device->info.backend
                    : bench == run->bench_device) {
            found[(*count)++] = bench;
        }
    }
    if (several && *count < wanted) {
        return error_set(error, STATUS_USAGE, "--devices %zu: %zu of %s are there: name them with --device", wanted,
                         *count, backend_of(run->bench_device->device->info.backend)->name);
    }
    *count = !several ? 1 : wanted < tiles ? wanted : tiles;
    return STATUS_OK;
}

static enum status measure_with(struct run *run, const struct point *point, struct apsp_ways ways, uint32_t bits,
                                bool *held, struct error *error) {
    const bool whole = !ways.from_edges || ((const struct apsp_detail *)point->variant->detail)->transfers;
    struct apsp_job job = {.run = run};
    struct device *devices[SELECTION_DEVICES_MAX];
    const uint32_t vertices = apsp_vertices(run, point);
    enum status status =
        whole ? apsp_input_get(run, vertices, &job.input, error) : apsp_input_graph(run, vertices, &job.input, error);
    size_t count;
    status = status == STATUS_OK ? find_devices(run, point, job.benches, &count, error) : status;
    if (status != STATUS_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        devices[i] = job.benches[i]->device;
    }
    job.team = apsp_team_make(devices, count, point, job.input, ways, bits);
    job.team.peer = apsp_link_prefers_peer(devices, count);
    status = prepare(&job, error);
    status = status == STATUS_OK ? measure_job(&job, held, error) : status;
    release(&job);
    return status;
}

// The plainest ways, and then one after the other what is better.
static enum status measure_transfers(struct run *run, const struct point *point, struct error *error) {
    static const struct apsp_ways ways[] = {
        {.pinned = false},
        {.pinned = true},
        {.pinned = true, .by_rows = true},
        {.pinned = true, .by_rows = true, .from_edges = true},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && status == STATUS_OK; i++) {
        bool held;
        status = measure_with(run, point, ways[i], 32, &held, error);
    }
    return status;
}

enum status apsp_measure_gpu(struct run *run, const struct point *point, struct error *error) {
    const struct apsp_detail *detail = point->variant->detail;
    const struct apsp_input *input;
    bool held = false;
    if (detail->transfers) {
        return measure_transfers(run, point, error);
    }
    enum status status = apsp_input_graph(run, apsp_vertices(run, point), &input, error);
    uint32_t bits = detail->bits == 16 && input->max_weight < APSP_FAR16 ? 16 : 32;
    for (; bits <= 32 && status == STATUS_OK && !held; bits *= 2) { // 16 bits may turn out too few
        status = measure_with(run, point, apsp_ways(input, bits), bits, &held, error);
    }
    return status;
}
