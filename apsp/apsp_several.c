// A solution shared by several devices of one backend. Each has the matrix and owns some of its rows, whole parts of
// the third phase. In a round the owner of the pivot's rows sends them to the others; then all do phases 1 and 2, which
// are little work, and each the third phase of its own rows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apsp/apsp_gpu.h"
#include "bench/selection.h"

enum {
    POISON = 0xA5
};

struct job {
    struct run *run;
    const struct apsp_input *input;
    struct bench_device *benches[SELECTION_DEVICES_MAX];
    struct apsp_gpu gpus[SELECTION_DEVICES_MAX];
    size_t count;
    bool peer;     // rows are sent from device to device, not through the host
    void *staging; // the pivot's rows on the host
    double exchange_ns, exchange_bytes;
    int32_t *distances;
};

bool apsp_leads(const struct run *run) {
    const struct bench_device *first = run->devices;
    while (first->device->operations != run->bench_device->device->operations) {
        first++;
    }
    return first == run->bench_device;
}

static struct device *device_at(const struct job *job, size_t index) {
    return job->gpus[index].device;
}

// ---- The exchange ----

static size_t band_bytes(const struct apsp_gpu *gpu) {
    return (size_t)gpu->shape.tile * gpu->pitch * gpu->bits / 8;
}

static enum status send(const struct job *job, size_t from, size_t to, uint64_t offset, bool peer,
                        struct error *error) {
    const struct device_operations *operations = device_at(job, from)->operations;
    const size_t bytes = band_bytes(&job->gpus[from]);
    const uint64_t source = job->gpus[from].w + offset, target = job->gpus[to].w + offset;
    if (peer) {
        return operations->copy_peer(device_at(job, to), target, device_at(job, from), source, bytes, error);
    }
    enum status status = operations->copy_to_host(device_at(job, from), job->staging, source, bytes, error);
    return status == STATUS_OK ? operations->copy_to_device(device_at(job, to), target, job->staging, bytes, error)
                               : status;
}

static size_t owner_of(const struct job *job, uint32_t pivot) {
    const uint32_t part = pivot * job->gpus[0].shape.tile / APSP_PART;
    size_t owner = 0;
    while (part >= job->gpus[owner].first_part + job->gpus[owner].part_count) {
        owner++;
    }
    return owner;
}

static enum status exchange(struct job *job, uint32_t pivot, struct error *error) {
    const size_t owner = owner_of(job, pivot);
    const double start = apsp_now_ns();
    enum status status = device_at(job, owner)->operations->synchronize(device_at(job, owner), error);
    for (size_t i = 0; i < job->count && status == STATUS_OK; i++) {
        if (i != owner) {
            status = send(job, owner, i, pivot * band_bytes(&job->gpus[0]), job->peer, error);
            job->exchange_bytes += (double)band_bytes(&job->gpus[0]);
        }
    }
    job->exchange_ns += apsp_now_ns() - start;
    return status;
}

// The faster way for one band, each tried twice for the first is slow.
static enum status choose_exchange(struct job *job, struct error *error) {
    double best[2] = {INFINITY, INFINITY};
    enum status status = STATUS_OK;
    job->peer = strcmp(apsp_options.exchange, "host") != 0;
    if (strcmp(apsp_options.exchange, "auto") != 0 || job->count < 2) {
        return STATUS_OK;
    }
    for (int i = 0; i < 4 && status == STATUS_OK; i++) {
        const double start = apsp_now_ns();
        status = send(job, 0, 1, 0, i % 2 == 0, error);
        best[i % 2] = fmin(best[i % 2], apsp_now_ns() - start);
    }
    job->peer = best[0] <= best[1];
    return status;
}

// ---- A solution ----

static enum status launch_on_all(struct job *job, enum apsp_step step, uint32_t pivot, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < job->count && status == STATUS_OK; i++) {
        const bool idle = step == APSP_PHASE3 && job->gpus[i].part_count == 0;
        status = idle ? STATUS_OK : apsp_gpu_launch(&job->gpus[i], step, pivot, error);
    }
    return status;
}

static enum status synchronize_all(struct job *job, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < job->count && status == STATUS_OK; i++) {
        status = device_at(job, i)->operations->synchronize(device_at(job, i), error);
    }
    return status;
}

static enum status run_round(struct job *job, uint32_t pivot, struct error *error) {
    enum status status = pivot > 0 && job->count > 1 ? exchange(job, pivot, error) : STATUS_OK;
    for (enum apsp_step step = APSP_PHASE1; step <= APSP_PHASE3 && status == STATUS_OK; step++) {
        status = launch_on_all(job, step, pivot, error);
    }
    return status;
}

// Returns when all devices are done.
static enum status run_all(void *context, struct error *error) {
    struct job *job = context;
    job->exchange_ns = job->exchange_bytes = 0;
    enum status status = launch_on_all(job, APSP_PAD, 0, error);
    for (uint32_t pivot = 0; pivot < job->gpus[0].rounds && status == STATUS_OK; pivot++) {
        status = run_round(job, pivot, error);
    }
    status = status == STATUS_OK ? launch_on_all(job, APSP_UNPAD, 0, error) : status;
    return status == STATUS_OK ? synchronize_all(job, error) : status;
}

static enum status poison(void *context, struct error *error) {
    struct job *job = context;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < job->count && status == STATUS_OK; i++) {
        status = apsp_gpu_poison(&job->gpus[i], error);
    }
    return status;
}

// Each device's own rows.
static enum status check(void *context, bool *right, struct error *error) {
    struct job *job = context;
    const uint64_t n = job->input->graph.vertices;
    enum status status = STATUS_OK;
    memset(job->distances, POISON, n * n * sizeof *job->distances);
    for (size_t i = 0; i < job->count && status == STATUS_OK; i++) {
        const struct apsp_gpu *gpu = &job->gpus[i];
        const uint64_t first = (uint64_t)gpu->first_part * APSP_PART;
        const uint64_t last = first + (uint64_t)gpu->part_count * APSP_PART, end = last < n ? last : n;
        if (first < end) {
            const uint64_t offset = first * n * sizeof(int32_t);
            status = gpu->device->operations->copy_to_host(gpu->device, job->distances + first * n, gpu->to + offset,
                                                           (end - first) * n * sizeof(int32_t), error);
        }
    }
    return status == STATUS_OK ? apsp_check(job->input, job->distances, right, error) : status;
}

// ---- Rows ----

static struct row row_of(const struct job *job, const char *kernel) {
    struct row row = apsp_row(job->run, job->input, kernel);
    row.devices = job->count;
    row.width_bytes = sizeof(int32_t);
    row.tile = job->gpus[0].shape.tile;
    snprintf(row.op, sizeof row.op, "%s", job->count < 2 ? "" : job->peer ? "peer" : "host");
    return row;
}

// Of the last solution, by the host's clock; a simulated link has none.
static enum status emit_exchange(struct job *job, struct error *error) {
    struct row row = row_of(job, "exchange");
    if (job->exchange_bytes == 0 || device_at(job, 0)->info.predicted) {
        return STATUS_OK;
    }
    row.samples = 1;
    row.time_ns_median = job->exchange_ns;
    row.useful_bytes = job->exchange_bytes;
    row.bandwidth_gb_s = job->exchange_bytes / job->exchange_ns;
    snprintf(row.verdict, sizeof row.verdict, "ok");
    return run_emit(job->run, &row, error);
}

static enum status emit(struct job *job, const struct measurement *measurement, enum verification verification,
                        struct error *error) {
    struct row row = row_of(job, "all");
    const double n = job->input->graph.vertices;
    enum status status = emit_exchange(job, error);
    row_finish(&row, job->run, measurement, NAN, verification);
    row.ops = n * n * n;
    row.gop_s = row.ops / row.time_ns_median;
    status = status == STATUS_OK ? run_emit(job->run, &row, error) : status;
    return status == STATUS_OK ? apsp_emit_output(job->run, job->input, job->distances, error) : status;
}

// A simulated solution takes as long as the device that has the most to do; the exchange is not in it.
static enum status predict(struct job *job, struct measurement *measurement, enum verification *verification,
                           struct error *error) {
    bool right = false;
    *measurement = (struct measurement){.clock_mhz = NAN, .time_ns = {0, NAN, NAN, 0, NAN}};
    enum status status = poison(job, error);
    for (size_t i = 0; i < job->count && status == STATUS_OK; i++) {
        status = device_at(job, i)->operations->event_record(device_at(job, i), job->benches[i]->start, error);
    }
    status = status == STATUS_OK ? run_all(job, error) : status;
    for (size_t i = 0; i < job->count && status == STATUS_OK; i++) {
        const struct device_operations *operations = device_at(job, i)->operations;
        struct bench_device *bench = job->benches[i];
        double time_ns = 0;
        status = operations->event_record(bench->device, bench->stop, error);
        status = status == STATUS_OK
                     ? operations->event_elapsed(bench->device, bench->start, bench->stop, &time_ns, error)
                     : status;
        measurement->time_ns.median = fmax(measurement->time_ns.median, time_ns);
    }
    status = status == STATUS_OK ? check(job, &right, error) : status;
    *verification = right ? VERIFICATION_PASSED : VERIFICATION_FAILED;
    return status;
}

static enum status measure_job(struct job *job, struct error *error) {
    const struct trial trial = {job, poison, run_all, check};
    struct measurement measurement;
    enum verification verification;
    enum status status = choose_exchange(job, error);
    if (status == STATUS_OK) {
        status = device_at(job, 0)->info.predicted ? predict(job, &measurement, &verification, error)
                                                   : run_trial(job->run, &trial, &measurement, &verification, error);
    }
    return status == STATUS_OK ? emit(job, &measurement, verification, error) : status;
}

static enum status prepare(struct job *job, const struct point *point, struct error *error) {
    const uint32_t vertices = job->input->graph.vertices;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < job->count && status == STATUS_OK; i++) {
        struct apsp_gpu *gpu = &job->gpus[i];
        *gpu = apsp_gpu_make(job->benches[i]->device, point, vertices, 32);
        const uint32_t parts = gpu->part_count;
        gpu->first_part = (uint32_t)(parts * i / job->count);
        gpu->part_count = (uint32_t)(parts * (i + 1) / job->count) - gpu->first_part;
        status = apsp_gpu_prepare(gpu, error);
        status = status == STATUS_OK ? apsp_gpu_copy_in(gpu, job->input->distances, error) : status;
    }
    job->staging = malloc(band_bytes(&job->gpus[0]));
    job->distances = malloc(apsp_gpu_matrix_bytes(&job->gpus[0]));
    if (status == STATUS_OK && (!job->staging || !job->distances)) {
        status = error_set(error, STATUS_FAILED, "out of memory: use fewer vertices");
    }
    return status;
}

enum status apsp_measure_several(struct run *run, const struct point *point, struct error *error) {
    struct job job = {.run = run};
    enum status status = apsp_input_get(run, apsp_vertices(run, point), &job.input, error);
    if (status != STATUS_OK) {
        return status;
    }
    for (size_t i = 0; i < run->device_count; i++) {
        if (run->devices[i].device->operations == run->bench_device->device->operations) {
            job.benches[job.count++] = &run->devices[i];
        }
    }
    status = prepare(&job, point, error);
    status = status == STATUS_OK ? measure_job(&job, error) : status;
    for (size_t i = 0; i < job.count; i++) {
        if (job.gpus[i].device) {
            apsp_gpu_release(&job.gpus[i]);
        }
    }
    free(job.staging);
    free(job.distances);
    return status;
}
