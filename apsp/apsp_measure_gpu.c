#include "apsp/apsp_measure_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apsp/apsp_gpu_rows.h"
#include "apsp/apsp_gpu_steps.h"
#include "apsp/apsp_input.h"
#include "apsp/apsp_link.h"
#include "apsp/apsp_look_ahead.h"
#include "apsp/apsp_settings.h"
#include "apsp/apsp_variant.h"
#include "apsp/solve/check.h"
#include "apsp/solve/gpu_transfer.h"
#include "apsp/solve/next_hops_check.h"
#include "apsp/solve/team_solve.h"
#include "bench/counters/counters.h"
#include "bench/selection.h"
#include "model/time/time_constants.h"
#include "util/clock.h"

enum {
    POISON = 0xA5
};

_Static_assert((int)SELECTION_DEVICES_MAX <= (int)APSP_TEAM_MAX, "a team has room for all devices");

// ---- Before and after ----

static enum status pin(struct apsp_job *job, void *memory, struct error *error) {
    struct device *device = first_gpu(job)->device;
    enum status status = device_pin(device, memory, apsp_gpu_matrix_bytes(first_gpu(job)), error);
    job->pinned += status == STATUS_OK;
    return status;
}

// Allocates the result's matrix. Pins it if the settings say so, and also the input's matrix if that is copied.
static enum status prepare_host(struct apsp_job *job, struct error *error) {
    const struct apsp_transfer *transfer = &first_gpu(job)->settings.transfer;
    const bool paths = first_gpu(job)->settings.paths;
    job->distances = apsp_matrix_allocate(first_gpu(job)->vertices);
    job->next = paths ? apsp_matrix_allocate(first_gpu(job)->vertices) : NULL;
    if (!job->distances || (paths && !job->next)) {
        return error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    }
    memset(job->distances, POISON, apsp_gpu_matrix_bytes(first_gpu(job))); // so that no page fault is timed
    const double start = clock_ns();
    enum status status = transfer->pinned ? pin(job, job->distances, error) : STATUS_OK;
    if (status == STATUS_OK && transfer->pinned && !transfer->from_edges) {
        status = pin(job, job->input->distances, error);
    }
    job->pin_ns = clock_ns() - start;
    return status;
}

// The first pinned page and the first copy are slow. They must not count when the options of transfers are compared.
static enum status warm_up(struct apsp_job *job, struct error *error) {
    struct apsp_gpu *gpu = &job->team.gpus[0];
    struct device *device = gpu->device;
    void *page = page_allocate(1);
    enum status status = page ? device_pin(device, page, 1, error)
                              : error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    if (status == STATUS_OK) {
        device_unpin(device, page);
        status = apsp_gpu_copy_in(gpu, &job->input->graph, job->input->distances, error);
    }
    free(page);
    return status;
}

static enum status copy_in(struct apsp_job *job, struct error *error) {
    const double start = clock_ns();
    enum status status = apsp_team_copy_in(&job->team, &job->input->graph, job->input->distances, error);
    const double copied = clock_ns();
    if (status == STATUS_OK) {
        status = apsp_team_initialise(&job->team, error);
    }
    job->copy_in_ns = copied - start;
    job->initialise_ns = first_gpu(job)->settings.transfer.from_edges ? clock_ns() - copied : job->input->initialise_ns;
    return status;
}

static enum status prepare(struct apsp_job *job, struct error *error) {
    TRY(apsp_team_prepare(&job->team, error));
    if (job->transfers) {
        TRY(warm_up(job, error));
    }
    TRY(prepare_host(job, error));
    return copy_in(job, error);
}

static void release(struct apsp_job *job) {
    struct device *device = first_gpu(job)->device;
    void *matrices[] = {job->distances, job->input->distances};
    for (size_t i = 0; i < job->pinned; i++) {
        device_unpin(device, matrices[i]);
    }
    device_graph_destroy(device, job->graph);
    apsp_team_release(&job->team);
    free(job->distances);
    free(job->next);
}

static enum status poison(void *context, struct error *error) {
    struct apsp_job *job = context;
    return apsp_team_poison(&job->team, error);
}

static enum status enqueue(void *context, struct error *error) {
    struct apsp_job *job = context;
    return job->transfers ? apsp_team_enqueue_padding(&job->team, error)
           : job->graph   ? device_graph_launch(first_gpu(job)->device, job->graph, error)
                          : apsp_team_enqueue(&job->team, error);
}

static enum status copy_out(struct apsp_job *job, struct error *error) {
    memset(job->distances, POISON, apsp_gpu_matrix_bytes(first_gpu(job)));
    const double start = clock_ns();
    enum status status = apsp_team_copy_out(&job->team, job->distances, error);
    job->copy_out_ns = clock_ns() - start;
    return status;
}

static enum status check_paths(struct apsp_job *job, bool *right, struct error *error) {
    TRY(apsp_gpu_copy_next(&job->team.gpus[0], job->next, error));
    return apsp_next_hops_check(&job->input->graph, job->distances, job->next, right, &job->paths, error);
}

static enum status check(void *context, bool *right, struct error *error) {
    struct apsp_job *job = context;
    enum status status = copy_out(job, error);
    if (job->transfers) {
        *right = memcmp(job->distances, job->input->distances, apsp_gpu_matrix_bytes(first_gpu(job))) == 0;
        return status;
    }
    if (status == STATUS_OK) {
        status = apsp_check(&job->input->graph, job->distances, right, error);
    }
    return status == STATUS_OK && *right && job->next ? check_paths(job, right, error) : status;
}

// ---- Measuring ----

// In a graph the units of a GPU get their blocks while the launch before ends, so a launch takes less by the ramp.
// If the first round stands for the others, the tallies are multiplied.
static void scale_tallies(struct apsp_job *job) {
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        struct apsp_tally *tally = &job->tallies[step];
        const double rounds = sampled(job) && !apsp_step_is_outside_rounds(step) ? first_gpu(job)->rounds : 1;
        tally->time_ns *= rounds;
        tally->bound_ns *= rounds;
        tally->events_ns = rounds * (double)tally->launches * time_constants.events_ns;
        tally->graph_ns = apsp_wants_graph(job) ? rounds * (double)tally->launches * time_constants.ramp_ns : 0;
    }
}

// The predicted time of the whole. Without look-ahead its steps follow one another.
static double whole_ns(const struct apsp_job *job, double cross_ns) {
    double sum_ns = apsp_looks_ahead(job) ? apsp_look_ahead_ns(job, cross_ns) : 0;
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        const struct apsp_tally *tally = &job->tallies[step];
        const bool counted = apsp_looks_ahead(job) && !apsp_step_is_outside_rounds(step);
        sum_ns += counted ? 0 : fmax(0, tally->time_ns - tally->events_ns - tally->graph_ns);
    }
    return sum_ns;
}

// On a simulated device one run, step by step, gives the result, the prediction and the counts.
static enum status predict(struct apsp_job *job, struct measurement *measurement, enum verification *verification,
                           struct error *error) {
    double cross_ns = 0;
    bool right = false;
    *measurement = measurement_empty();
    enum status status = poison(job, error);
    if (status == STATUS_OK) {
        status = apsp_measure_steps(job, error);
    }
    if (status == STATUS_OK && apsp_looks_ahead(job)) {
        status = apsp_look_ahead_cross(job, &cross_ns, error);
    }
    if (status == STATUS_OK && apsp_is_small(&first_gpu(job)->settings)) {
        status = apsp_look_ahead_small(job, error);
    }
    if (status == STATUS_OK && !sampled(job)) {
        status = check(job, &right, error);
    }
    *verification = sampled(job) ? VERIFICATION_LEFT_OUT : right ? VERIFICATION_PASSED : VERIFICATION_FAILED;
    scale_tallies(job);
    measurement->time_ns.median = whole_ns(job, cross_ns);
    return status;
}

// Says once for a device why its rows have the launches of a stream although a graph was wanted.
static void tell_refusal(struct apsp_job *job, const struct error *refused) {
    struct apsp_session *session = apsp_session_of(job->run);
    if (job->run->settings->quiet || session->without_graphs == job->run->bench_device) {
        return;
    }
    session->without_graphs = job->run->bench_device;
    progress_clear(&job->progress);
    fprintf(stderr, "%s: launches go to the device one by one, because no graph holds them: %s\n",
            program_name(job->run->probe->name), refused->text);
}

static enum status record_graph(struct apsp_job *job, struct error *error) {
    struct error refused = {0};
    enum status status = apsp_team_capture(&job->team, &job->graph, &refused, error);
    if (status == STATUS_OK && !job->graph) {
        tell_refusal(job, &refused);
    }
    error_clear(&refused);
    return status;
}

// Elsewhere the whole is timed as it runs fastest, and further runs give the time of each kernel.
static enum status time_all(struct apsp_job *job, struct measurement *measurement, enum verification *verification,
                            struct error *error) {
    const struct trial trial = {job, poison, enqueue, check};
    enum status status = apsp_wants_graph(job) ? record_graph(job, error) : STATUS_OK;
    if (status == STATUS_OK) {
        status = run_trial(job->run, &trial, measurement, verification, error);
    }
    return status == STATUS_OK ? apsp_time_steps(job, error) : status;
}

// Under a profiler the first launch of each kernel is counted.
static enum status count_steps(struct apsp_job *job, struct measurement *measurement, enum verification *verification,
                               struct error *error) {
    *measurement = measurement_empty();
    *verification = VERIFICATION_LEFT_OUT;
    counting_begin(job->run->settings->counting);
    const enum status status = apsp_measure_steps(job, error);
    counting_end(job->run->settings->counting);
    return status;
}

// Whether 16 bits held every distance. A path to a farther vertex adds at most the heaviest edge, so if all distances
// found are that much below APSP_FAR16, no distance lies beyond.
static enum status check_width(const struct apsp_job *job, bool *held, struct error *error) {
    uint32_t too_far = 0;
    enum status status = STATUS_OK;
    const struct apsp_gpu *gpu = first_gpu(job);
    if (gpu->settings.bits == 16 && !first_round_alone(job)) {
        status = device_copy_to_host(gpu->device, &too_far, gpu->too_far, sizeof too_far, error);
    }
    *held = !too_far;
    return status;
}

static enum status measure_job(struct apsp_job *job, bool *held, struct error *error) {
    struct measurement measurement;
    enum verification verification;
    job->progress = progress_start(first_gpu(job)->rounds, job->run->settings->quiet);
    enum status (*const way)(struct apsp_job *, struct measurement *, enum verification *, struct error *) =
        info_of(job)->predicted        ? predict
        : job->run->settings->counting ? count_steps
                                       : time_all;
    enum status status = way(job, &measurement, &verification, error);
    progress_clear(&job->progress);
    if (status == STATUS_OK) {
        status = check_width(job, held, error);
    }
    return status == STATUS_OK && *held ? apsp_job_emit(job, &measurement, verification, error) : status;
}

// Finds the devices that solve a point: the run's, or the first of its backend, no more than there are rows of tiles.
static enum status find_devices(const struct run *run, const struct point *point, struct bench_device **found,
                                size_t *count, struct error *error) {
    const bool several = apsp_detail_of(point)->several;
    const size_t tiles = apsp_rounds(run, point), wanted = point->values[APSP_DEVICES];
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

static enum status make_job(struct apsp_job *job, const struct point *point, struct apsp_settings settings,
                            struct error *error) {
    struct device *devices[APSP_TEAM_MAX];
    size_t count;
    enum status status = find_devices(job->run, point, job->benches, &count, error);
    if (status != STATUS_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        devices[i] = job->benches[i]->device;
    }
    settings.peer = apsp_link_prefers_peer(apsp_session_of(job->run), devices, count);
    job->transfers = apsp_detail_of(point)->transfers;
    job->team = apsp_team_make(devices, count, &job->input->graph, &settings);
    return STATUS_OK;
}

// *held becomes false if some distance did not fit into settings.bits. Then no row is emitted.
static enum status measure_with(struct run *run, const struct point *point, struct apsp_settings settings, bool *held,
                                struct error *error) {
    const bool needs_matrix = !settings.transfer.from_edges || apsp_detail_of(point)->transfers;
    const uint32_t vertices = apsp_vertices(run, point);
    struct apsp_job *job = calloc(1, sizeof *job);
    if (!job) {
        return error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    }
    job->run = run;
    enum status status = needs_matrix ? apsp_input_distances(run, vertices, &job->input, error)
                                      : apsp_input_graph(run, vertices, &job->input, error);
    if (status == STATUS_OK) {
        status = make_job(job, point, settings, error);
    }
    if (status == STATUS_OK) {
        status = prepare(job, error);
        if (status == STATUS_OK) {
            status = measure_job(job, held, error);
        }
        release(job);
    }
    free(job);
    return status;
}

// Begins with the plainest transfer and adds one improvement after the other.
static enum status measure_transfers(struct run *run, const struct point *point, struct error *error) {
    static const struct apsp_transfer transfers[] = {
        {.pinned = false},
        {.pinned = true},
        {.pinned = true, .strip_by_copy = true},
        {.pinned = true, .strip_by_copy = true, .from_edges = true},
    };
    struct apsp_settings settings = apsp_settings_of(run, point);
    for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++) {
        bool held;
        settings.transfer = transfers[i];
        TRY(measure_with(run, point, settings, &held, error));
    }
    return STATUS_OK;
}

enum status apsp_measure_gpu(struct run *run, const struct point *point, struct error *error) {
    const struct apsp_input *input;
    struct apsp_settings settings = apsp_settings_of(run, point);
    bool held = false;
    if (apsp_detail_of(point)->transfers) {
        return measure_transfers(run, point, error);
    }
    enum status status = apsp_input_graph(run, apsp_vertices(run, point), &input, error);
    if (status == STATUS_OK) {
        settings.max_weight = (uint32_t)input->max_weight;
        status = apsp_input_hop_edges(run, &settings.paths, error);
    }
    uint32_t bits = settings.bits == 16 && settings.max_weight < APSP_FAR16 ? 16 : 32;
    for (; bits <= 32 && status == STATUS_OK && !held; bits *= 2) { // 16 bits may turn out to be too few
        settings.bits = bits;
        settings.transfer = apsp_transfer_of(run, &input->graph, bits);
        status = measure_with(run, point, settings, &held, error);
    }
    return status;
}
