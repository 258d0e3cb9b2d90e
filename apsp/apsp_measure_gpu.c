// The GPU's variants as rows: a solution is a list of launches, its steps, on one device or on several that share it.
// The whole is timed as one; then once more step by step, for the time and the counts of each kernel.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apsp/apsp_link.h"
#include "apsp/apsp_team.h"
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
    struct bench_device *benches[SELECTION_DEVICES_MAX]; // of the team's devices
    struct apsp_team team;
    double pin_ns, copy_in_ns, initialise_ns, exchange_ns, copy_out_ns;
    struct tally *tallies; // of each step; NULL: the steps follow one another unmeasured
    struct progress progress;
    int32_t *distances; // the result, on the host
    size_t pinned;      // how many of the host's matrices are
};

// What all devices of a team have in common is told by the first one.
static const struct apsp_gpu *first_gpu(const struct job *job) {
    return &job->team.gpus[0];
}

static const struct device_info *info_of(const struct job *job) {
    return &first_gpu(job)->device->info;
}

// Only some blocks of the first round are simulated.
static bool sampled(const struct job *job) {
    return info_of(job)->simulated_blocks > 0;
}

// The matrix goes to the device and back, and no round is run.
static bool transfers(const struct job *job) {
    return first_gpu(job)->detail->transfers;
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

static enum status start_step(struct job *job, size_t index, enum apsp_step step, uint32_t pivot, struct error *error) {
    struct device *device = job->team.gpus[index].device;
    enum status status = device->operations->event_record(device, job->benches[index]->start, error);
    status = status == STATUS_OK ? apsp_gpu_launch(&job->team.gpus[index], step, pivot, error) : status;
    return status == STATUS_OK ? device->operations->event_record(device, job->benches[index]->stop, error) : status;
}

static enum status end_step(struct job *job, size_t index, enum apsp_step step, double *time_ns, struct error *error) {
    struct tally *tally = &job->tallies[step];
    struct device *device = job->team.gpus[index].device;
    const struct bench_device *bench = job->benches[index];
    enum status status = device->operations->synchronize(device, error);
    status = status == STATUS_OK ? device->operations->event_elapsed(device, bench->start, bench->stop, time_ns, error)
                                 : status;
    if (status == STATUS_OK && device->operations->counts && apsp_gpu_has_kernel(&job->team.gpus[index], step)) {
        struct launch_counts counts;
        status = device->operations->counts(device, &counts, error);
        add_counts(&tally->counts, &counts);
    }
    tally->launches++;
    return status;
}

// One step on its own, between two events of each device; it takes as long as the slowest one.
static enum status measure_step(struct job *job, enum apsp_step step, uint32_t pivot, struct error *error) {
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
        status = end_step(job, i, step, &time_ns, error);
        slowest_ns = fmax(slowest_ns, time_ns);
    }
    job->tallies[step].time_ns += slowest_ns;
    return status;
}

// Only a team of one takes its steps unmeasured here.
static enum status run_step(struct job *job, enum apsp_step step, uint32_t pivot, struct error *error) {
    return job->tallies ? measure_step(job, step, pivot, error)
                        : apsp_gpu_launch(&job->team.gpus[0], step, pivot, error);
}

static enum status exchange(struct job *job, uint32_t pivot, struct error *error) {
    const double start = apsp_now_ns();
    enum status status = apsp_team_exchange(&job->team, pivot, error);
    job->exchange_ns += apsp_now_ns() - start;
    return status;
}

static enum status run_round(struct job *job, uint32_t pivot, struct error *error) {
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

static enum status run_in_steps(struct job *job, struct error *error) {
    const uint32_t rounds = sampled(job) ? 1 : first_gpu(job)->rounds;
    enum status status = run_step(job, APSP_PAD, 0, error);
    for (uint32_t pivot = 0; pivot < (transfers(job) ? 0 : rounds) && status == STATUS_OK; pivot++) {
        status = run_round(job, pivot, error);
    }
    return status == STATUS_OK ? run_step(job, APSP_UNPAD, 0, error) : status;
}

// A whole solution, as fast as it goes.
static enum status enqueue(void *context, struct error *error) {
    struct job *job = context;
    return first_gpu(job)->detail->kind == APSP_REGISTERS && !transfers(job) ? apsp_team_enqueue(&job->team, error)
                                                                             : run_in_steps(job, error);
}

// ---- Before and after ----

static enum status pin(struct job *job, void *memory, struct error *error) {
    struct device *device = first_gpu(job)->device;
    enum status status = device->operations->pin(device, memory, apsp_gpu_matrix_bytes(first_gpu(job)), error);
    job->pinned += status == STATUS_OK;
    return status;
}

// The result's matrix, and the one that is copied in unless it is the edges.
static enum status prepare_host(struct job *job, struct error *error) {
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
static enum status warm_up(struct job *job, struct error *error) {
    struct apsp_gpu *gpu = &job->team.gpus[0];
    struct device *device = gpu->device;
    void *page = page_allocate(1);
    enum status status = page ? device->operations->pin(device, page, 1, error)
                              : error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    if (status == STATUS_OK) {
        device->operations->unpin(device, page);
        status = apsp_gpu_copy_in(gpu, job->input, error);
    }
    free(page);
    return status;
}

static enum status prepare(struct job *job, struct error *error) {
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

static void release(struct job *job) {
    struct device *device = first_gpu(job)->device;
    void *matrices[] = {job->distances, job->input->distances};
    for (size_t i = 0; i < job->pinned; i++) {
        device->operations->unpin(device, matrices[i]);
    }
    apsp_team_release(&job->team);
    free(job->distances);
}

static enum status poison(void *context, struct error *error) {
    struct job *job = context;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < job->team.count && status == STATUS_OK; i++) {
        status = apsp_gpu_poison(&job->team.gpus[i], error);
    }
    return status;
}

static enum status copy_out(struct job *job, struct error *error) {
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
    struct job *job = context;
    enum status status = copy_out(job, error);
    if (transfers(job)) {
        *right = memcmp(job->distances, job->input->distances, apsp_gpu_matrix_bytes(first_gpu(job))) == 0;
        return status;
    }
    return status == STATUS_OK ? apsp_check(job->input, job->distances, right, error) : status;
}

// ---- Rows ----

static struct row row_of(const struct job *job, const char *kernel) {
    struct row row = apsp_row(job->run, job->input, kernel);
    row.tile = first_gpu(job)->shape.tile;
    row.width_bytes = first_gpu(job)->bits / 8;
    row.devices = job->team.count;
    row_format_dimensions(row.block, first_gpu(job)->shape.block);
    if (job->team.count > 1) {
        snprintf(row.op, sizeof row.op, "%s", job->team.peer ? "peer" : "host");
    }
    return row;
}

// Of the matrix's way to the device and back, which `op` names by its options.
static void name_ways(struct row *row, const struct job *job) {
    const struct apsp_ways *ways = &first_gpu(job)->ways;
    snprintf(row->op, sizeof row->op, "%s+%s+%s", ways->pinned ? "pinned" : "pageable",
             ways->by_rows ? "copy" : "kernel", ways->from_edges ? "device" : "host");
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
    const struct apsp_gpu *gpu = first_gpu(job);
    const double tile = gpu->shape.tile, others = gpu->tiles - 1.0, of_tile = tile * tile * tile * gpu->rounds;
    if (gpu->detail->kind == APSP_REGISTERS && step == APSP_PHASE3) {
        return (double)gpu->tiles * gpu->tiles * of_tile; // it covers the whole matrix
    }
    return step == APSP_PHASE1   ? of_tile
           : step == APSP_PHASE2 ? 2 * others * of_tile
           : step == APSP_PHASE3 ? others * others * of_tile
                                 : NAN;
}

// Of a phase. The simulator counts what the lanes asked of global memory.
static void set_bandwidths(struct row *row, const struct job *job, enum apsp_step step) {
    const struct apsp_gpu *gpu = first_gpu(job);
    if (apsp_step_is_of_matrix(step) || job->team.count > 1) {
        return;
    }
    const struct apsp_traffic traffic = apsp_gpu_traffic(gpu, step);
    row->useful_bytes = traffic.global_bytes;
    if (gpu->device->operations->counts) {
        const struct launch_counts counts = mean_counts(&job->tallies[step]);
        row->useful_bytes = (counts.global_load.lane_bytes + counts.global_store.lane_bytes) * gpu->rounds;
    }
    row->bandwidth_gb_s = row->useful_bytes / row->time_ns_median;
    if (traffic.shared_bytes > 0) {
        row->shared_gb_s = traffic.shared_bytes / row->time_ns_median;
    }
}

static enum status emit_step(struct job *job, enum apsp_step step, struct error *error) {
    const struct tally *tally = &job->tallies[step];
    struct row row = row_of(job, apsp_step_name(step));
    if (tally->launches == 0) {
        return STATUS_OK;
    }
    if (apsp_step_is_of_matrix(step)) {
        name_ways(&row, job);
    }
    if (first_gpu(job)->device->operations->counts && apsp_gpu_has_kernel(first_gpu(job), step)) {
        const struct launch_counts counts = mean_counts(tally);
        row_set_counts(&row, &counts, info_of(job)->gpu);
    } else if (!info_of(job)->predicted) {
        row.samples = 1;
    }
    row_format_dimensions(row.block, apsp_gpu_block(first_gpu(job), step));
    row_format_dimensions(row.grid, apsp_gpu_grid(first_gpu(job), step));
    row.time_ns_median = tally->time_ns;
    row.ops = updates_of(job, step);
    row.gop_s = row.ops / row.time_ns_median;
    set_bandwidths(&row, job, step);
    snprintf(row.verdict, sizeof row.verdict, "ok");
    return run_emit(job->run, &row, error);
}

// By the host's clock: beside predictions they would say nothing.
static enum status emit_time(struct job *job, const char *kernel, double time_ns, double bytes, struct error *error) {
    struct row row = row_of(job, kernel);
    if (info_of(job)->predicted || bytes == 0 || isnan(time_ns)) {
        return STATUS_OK;
    }
    if (strcmp(kernel, "exchange") != 0) {
        name_ways(&row, job);
    }
    row.samples = 1;
    row.time_ns_median = time_ns;
    row.useful_bytes = bytes;
    row.bandwidth_gb_s = bytes / time_ns;
    snprintf(row.verdict, sizeof row.verdict, "ok");
    return run_emit(job->run, &row, error);
}

static enum status emit_all(struct job *job, const struct measurement *measurement, enum verification verification,
                            struct error *error) {
    struct row row = row_of(job, "all");
    const double n = first_gpu(job)->vertices;
    row_finish(&row, job->run, measurement, NAN, verification);
    if (transfers(job)) {
        name_ways(&row, job);
    } else {
        row.ops = n * n * n;
        row.gop_s = row.ops / row.time_ns_median;
    }
    return run_emit(job->run, &row, error);
}

// What the host does before the first step.
static enum status emit_way_in(struct job *job, struct error *error) {
    const double bytes = (double)apsp_gpu_matrix_bytes(first_gpu(job)), count = (double)job->team.count;
    const double edge_bytes = (double)job->input->graph.edge_count * sizeof(struct edge);
    const double init_bytes = bytes * (first_gpu(job)->ways.from_edges ? count : 1);
    const double copied = count * (first_gpu(job)->ways.from_edges ? edge_bytes : bytes);
    enum status status = emit_time(job, "read", job->input->read_ns, edge_bytes, error);
    status = status == STATUS_OK ? emit_time(job, "pin", job->pin_ns, bytes * (double)job->pinned, error) : status;
    status = status == STATUS_OK ? emit_time(job, "copy-in", job->copy_in_ns, copied, error) : status;
    return status == STATUS_OK ? emit_time(job, "init", job->initialise_ns, init_bytes, error) : status;
}

static enum status write_output(struct job *job, struct error *error) {
    double time_ns;
    enum status status = apsp_write_output(job->input, job->distances, &time_ns, error);
    return status == STATUS_OK ? emit_time(job, "write", time_ns, (double)apsp_gpu_matrix_bytes(first_gpu(job)), error)
                               : status;
}

static enum status emit_rows(struct job *job, const struct measurement *measurement, enum verification verification,
                             struct error *error) {
    const double exchanged = (double)apsp_team_exchange_bytes(&job->team) * (first_gpu(job)->rounds - 1);
    enum status status = emit_way_in(job, error);
    for (enum apsp_step step = 0; step < APSP_STEPS && status == STATUS_OK; step++) {
        status = emit_step(job, step, error);
    }
    status = status == STATUS_OK ? emit_time(job, "exchange", job->exchange_ns, exchanged, error) : status;
    status = status == STATUS_OK
                 ? emit_time(job, "copy-out", job->copy_out_ns, (double)apsp_gpu_matrix_bytes(first_gpu(job)), error)
                 : status;
    status = status == STATUS_OK ? emit_all(job, measurement, verification, error) : status;
    return status == STATUS_OK && !sampled(job) && !transfers(job) ? write_output(job, error) : status;
}

// ---- Measuring ----

// Of a simulated device: one run, step by step, is the verification, the prediction and the counts.
static enum status predict(struct job *job, struct measurement *measurement, enum verification *verification,
                           struct error *error) {
    bool right = false;
    *measurement = (struct measurement){.clock_mhz = NAN, .time_ns = {0, NAN, NAN, 0, NAN}};
    enum status status = poison(job, error);
    status = status == STATUS_OK ? run_in_steps(job, error) : status;
    if (status == STATUS_OK && !sampled(job)) {
        status = check(job, &right, error);
    }
    *verification = sampled(job) ? VERIFICATION_NONE : right ? VERIFICATION_PASSED : VERIFICATION_FAILED;
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        job->tallies[step].time_ns *= sampled(job) && !apsp_step_is_of_matrix(step) ? first_gpu(job)->rounds : 1;
        measurement->time_ns.median += job->tallies[step].time_ns;
    }
    return status;
}

static enum status time_all(struct job *job, struct tally *tallies, struct measurement *measurement,
                            enum verification *verification, struct error *error) {
    const struct trial trial = {job, poison, enqueue, check};
    enum status status = run_trial(job->run, &trial, measurement, verification, error);
    job->tallies = tallies;
    return status == STATUS_OK ? run_in_steps(job, error) : status;
}

// Whether 16 bits held every distance. On the way to a farther vertex distances grow by no more than the heaviest edge,
// so where the largest one found is that much below APSP_FAR16, there is none beyond it.
static enum status check_width(const struct job *job, bool *held, struct error *error) {
    uint32_t most = 0;
    *held = true;
    const struct apsp_gpu *gpu = first_gpu(job);
    if (gpu->bits == 32 || sampled(job)) {
        return STATUS_OK;
    }
    enum status status = gpu->device->operations->copy_to_host(gpu->device, &most, gpu->most, sizeof most, error);
    *held = most + (uint32_t)job->input->max_weight < APSP_FAR16;
    return status;
}

static enum status measure_job(struct job *job, bool *held, struct error *error) {
    struct tally tallies[APSP_STEPS] = {0};
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
    return status == STATUS_OK && *held ? emit_rows(job, &measurement, verification, error) : status;
}

// The devices that solve a point: the run's, or the first of its backend, no more of them than there are parts.
static enum status find_devices(const struct run *run, const struct point *point, struct bench_device **found,
                                size_t *count, struct error *error) {
    const bool several = ((const struct apsp_detail *)point->variant->detail)->several;
    const size_t parts = (apsp_vertices(run, point) + APSP_PART - 1) / APSP_PART, wanted = point->values[APSP_DEVICES];
    *count = 0;
    for (size_t i = 0; i < run->device_count; i++) {
        struct bench_device *bench = &run->devices[i];
        if (several ? bench->device->operations == run->bench_device->device->operations : bench == run->bench_device) {
            found[(*count)++] = bench;
        }
    }
    if (several && *count < wanted) {
        return error_set(error, STATUS_USAGE, "--devices %zu: %zu of %s are there: name them with --device", wanted,
                         *count, run->bench_device->device->info.backend);
    }
    *count = !several ? 1 : wanted < parts ? wanted : parts;
    return STATUS_OK;
}

static enum status measure_with(struct run *run, const struct point *point, struct apsp_ways ways, uint32_t bits,
                                bool *held, struct error *error) {
    const bool whole = !ways.from_edges || ((const struct apsp_detail *)point->variant->detail)->transfers;
    struct job job = {.run = run};
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
