// Managed memory, whose pages the driver moves between the host and a device: what a kernel or the host's threads get
// of it while the pages move, or although they stay.
#include <math.h>
#include <stdio.h>

#include "links/row.h"
#include "util/random.h"

enum {
    DIRECTIONS = 2
};

// One direction of a variant.
struct managed_job {
    struct run *run;
    enum links_managed kind;
    bool to_host;
    uint64_t bytes, seed;
    uint64_t memory; // its address, which is the host's, too
    uint64_t filler; // device address of what leaves the device too little room; 0: there is none
    uint64_t wrong;  // device address of the number of wrong words
};

// LINKS_FILL, or LINKS_CHECK, which reads every word and counts those that are wrong.
static enum status visit_words(const struct managed_job *job, enum links_kernel which, struct error *error) {
    return links_visit_words(links_kernels_of(job->run), run_device(job->run), which, job->memory, job->bytes,
                             job->seed, job->wrong, error);
}

static bool is_right_on_host(const struct managed_job *job) {
    return host_check((const void *)(uintptr_t)job->memory, job->bytes, job->seed);
}

// ---- The measured work ----

static enum status make_anew(struct managed_job *job, struct error *error) {
    void *none; // of pinned memory
    device_release(run_device(job->run), job->memory);
    return device_allocate_kind(run_device(job->run), MEMORY_MANAGED, job->bytes, &job->memory, &none, error);
}

static enum status move(const struct managed_job *job, bool to_device, struct error *error) {
    return run_device(job->run)->operations->prefetch(run_device(job->run), job->memory, job->bytes, to_device, error);
}

// Whether a kernel accesses the pages of every sample without anything done to them before.
static bool is_steady(const struct managed_job *job) {
    return job->kind == MANAGED_STAY || job->kind == MANAGED_OVERFLOW;
}

// Before each sample: the pages go back to where they come from.
static enum status prepare(void *context, struct error *error) {
    struct managed_job *job = context;
    if (job->kind == MANAGED_TOUCH) {
        return make_anew(job, error);
    }
    if (!is_steady(job)) {
        TRY(move(job, job->to_host, error));
    }
    return device_synchronize(run_device(job->run), error);
}

static enum status enqueue(void *context, struct error *error) {
    struct managed_job *job = context;
    switch (job->kind) {
    case MANAGED_TOUCH:
        return visit_words(job, LINKS_FILL, error);
    case MANAGED_PREFETCH:
        return move(job, !job->to_host, error);
    case MANAGED_STAY:
    case MANAGED_OVERFLOW:
        return job->to_host ? visit_words(job, LINKS_FILL, error) : visit_words(job, LINKS_CHECK, error);
    default:
        if (!job->to_host) {
            return visit_words(job, LINKS_CHECK, error);
        }
        return is_right_on_host(job) ? STATUS_OK
                                     : error_set(error, STATUS_FAILED,
                                                 "%s: a page of managed memory came with other "
                                                 "bytes: check the device",
                                                 run_info(job->run)->spec);
    }
}

// ---- The check ----

// The words are written where the pages come from, or by the work itself.
static enum status write_words(void *context, struct error *error) {
    struct managed_job *job = context;
    const bool written_by_work = job->kind == MANAGED_TOUCH || (is_steady(job) && job->to_host);
    TRY(device_fill(run_device(job->run), job->wrong, 0, sizeof(uint64_t), error));
    if (!written_by_work && !job->to_host) {
        host_fill((void *)(uintptr_t)job->memory, job->bytes, job->seed);
    } else if (!written_by_work) {
        TRY(visit_words(job, LINKS_FILL, error));
    }
    return prepare(job, error);
}

static enum status check(void *context, bool *right, struct error *error) {
    const struct managed_job *job = context;
    uint64_t wrong = 0;
    if (job->to_host) {
        *right = is_right_on_host(job);
        return STATUS_OK;
    }
    TRY(visit_words(job, LINKS_CHECK, error));
    TRY(device_copy_to_host(run_device(job->run), &wrong, job->wrong, sizeof wrong, error));
    *right = wrong == 0;
    return STATUS_OK;
}

// ---- The row ----

static const char *op_of(const struct managed_job *job) {
    static const char *const names[] = {
        [MANAGED_TOUCH] = "touch", [MANAGED_FAULT] = "fault", [MANAGED_PREFETCH] = "prefetch"};
    return !is_steady(job) ? names[job->kind] : job->to_host ? "write" : "read";
}

static enum status emit(const struct managed_job *job, const struct measurement *measurement, struct error *error) {
    struct bench_device *own = job->run->bench_device;
    const struct transfer transfer = {.from = job->to_host ? own : NULL,
                                      .to = job->to_host ? NULL : own,
                                      .mover = MOVER_SOURCE_ENGINE,
                                      .bytes = job->bytes};
    struct row row = links_row(job->run, &transfer, "one-way");
    snprintf(row.op, sizeof row.op, "%s", op_of(job));
    if (job->kind == MANAGED_TOUCH) { // no byte comes from the host
        snprintf(row.from, sizeof row.from, "%s", row.to);
        row.peak_gb_s = NAN;
    }
    row.useful_bytes = (double)job->bytes;
    row.one_way_gb_s = row.useful_bytes / measurement->time_ns.median;
    links_finish_row(&row, measurement);
    return run_emit(job->run, &row, error);
}

// Leaves the device room for half of the pages.
static enum status fill_up(struct managed_job *job, struct error *error) {
    const uint64_t free_bytes = device_free_bytes(run_info(job->run)), left = job->bytes / 2;
    return free_bytes > left ? device_allocate(run_device(job->run), free_bytes - left, &job->filler, error)
                             : STATUS_OK;
}

// The kernels are built before fill_up, because their code takes memory of the device, too.
static enum status open_job(struct managed_job *job, struct error *error) {
    struct kernel *kernel;
    TRY(links_kernel_of(links_kernels_of(job->run), run_device(job->run), LINKS_FILL, &kernel, error));
    TRY(links_kernel_of(links_kernels_of(job->run), run_device(job->run), LINKS_CHECK, &kernel, error));
    TRY(device_allocate(run_device(job->run), sizeof(uint64_t), &job->wrong, error));
    TRY(make_anew(job, error));
    if (job->kind == MANAGED_OVERFLOW) {
        TRY(fill_up(job, error));
    }
    return job->kind == MANAGED_STAY
               ? run_device(job->run)->operations->keep_on_host(run_device(job->run), job->memory, job->bytes, error)
               : STATUS_OK;
}

// In a second round the pages would be where they belong.
static struct settings settings_for(const struct managed_job *job) {
    struct settings settings = links_share(job->run->settings, DIRECTIONS);
    settings.one_round = !is_steady(job);
    settings.host_has_part = true;
    return settings;
}

static enum status measure_direction(struct managed_job *job, struct error *error) {
    const struct settings settings = settings_for(job);
    const struct trial trial = {job, write_words, enqueue, check};
    const struct work back = {prepare, job};
    struct run run = *job->run;
    struct measurement measurement;
    run.settings = &settings;
    enum status status = open_job(job, error);
    THEN(status, run_trial_beside(&run, &trial, is_steady(job) ? NULL : &back, &measurement, error));
    THEN(status, emit(job, &measurement, error));
    DEVICE_RELEASE(run_device(job->run), job->memory, job->wrong, job->filler);
    return status;
}

enum status links_measure_managed(struct run *run, const struct point *point, struct error *error) {
    const enum links_managed kind = links_detail_of(run)->managed;
    for (int to_host = 0; to_host < (kind == MANAGED_TOUCH ? 1 : DIRECTIONS); to_host++) {
        struct managed_job job = {
            .run = run, .kind = kind, .to_host = to_host, .bytes = point->values[LINKS_FOOTPRINT]};
        job.seed = mix64(run->settings->seed + job.bytes + (uint64_t)kind * DIRECTIONS + (uint64_t)to_host);
        TRY(measure_direction(&job, error));
    }
    return STATUS_OK;
}
