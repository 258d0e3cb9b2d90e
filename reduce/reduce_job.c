#include "reduce/reduce_job.h"

#include <string.h>

#include "reduce/reduce_buffers.h"
#include "reduce/reduce_check.h"
#include "reduce/reduce_cpu.h"
#include "reduce/reduce_launch.h"

// ---- Launches ----

static enum status after_first(struct reduce_job *job, struct error *error) {
    enum status status = STATUS_OK;
    if (device_counts_launches(reduce_device(job))) {
        status = device_counts(reduce_device(job), &job->counts, error);
    }
    if (status == STATUS_OK && reduce_is_partial(job) && !job->detail->one_launch) {
        status = reduce_check_blocks(job, &job->blocks_right, error);
    }
    return status;
}

static enum status launch_pass(struct reduce_job *job, uint32_t number, struct error *error) {
    struct argument arguments[REDUCE_ARGUMENTS_MAX];
    const struct launch launch = reduce_launch(job, number, arguments);
    return device_launch(reduce_device(job), job->kernel, &launch, error);
}

static enum status enqueue(void *context, struct error *error) {
    struct reduce_job *job = context;
    struct reduce_buffers *buffers = &job->buffers;
    enum status status = STATUS_OK;
    if (job->detail->library) {
        return reduce_library_sum(&job->library, reduce_device(job), job->type, buffers->input, buffers->sums[1],
                                  job->plan.pass[0].elements, buffers->sums[0], buffers->sums_bytes[0], error);
    }
    if (job->detail->zeroed) {
        status = device_fill(reduce_device(job), buffers->sums[1], 0, REDUCE_SLOT_BYTES, error);
    }
    for (uint32_t i = 0; i < job->launches && status == STATUS_OK; i++) {
        status = launch_pass(job, i, error);
        if (status == STATUS_OK && i == 0 && job->watched) {
            status = after_first(job, error);
        }
    }
    return status;
}

static enum status build(struct reduce_job *job, struct error *error) {
    const struct kernel_constant constants[] = {
        {"BITS", (int64_t)reduce_number_bytes(job) * 8},
        {"FLOATING", reduce_type_is_floating(job->type)},
        {"BLOCK", job->plan.block},
        {"ITEMS", job->plan.items},
        {"UNROLL", job->detail->unroll},
        {"REDUX", job->detail->redux},
        {"WIDTH", 16},
    };
    const struct kernel_request request = {
        .source = job->detail->source,
        .entry = job->detail->entry,
        .constants = constants,
        .constant_count = sizeof constants / sizeof constants[0],
        .native = reduce_native(job->detail->entry),
    };
    return device_build(reduce_device(job), &request, &job->kernel, error);
}

static enum status prepare(struct reduce_job *job, struct error *error) {
    job->launches = job->plan.pass_count;
    enum status status = job->detail->library ? reduce_library_open(backend_of(reduce_info(job->run)->backend)->name,
                                                                    &job->library, error)
                                              : build(job, error);
    return status == STATUS_OK ? reduce_buffers_prepare(job, error) : status;
}

void reduce_job_release(struct reduce_job *job) {
    if (job->kernel) {
        device_discard(reduce_device(job), job->kernel);
    }
    reduce_buffers_release(job);
}

// ---- Times ----

static enum status measure_all(struct reduce_job *job, struct measurement *measurement, struct error *error) {
    const struct work work = {enqueue, job};
    return measure(job->run->bench_device, job->run->settings, &work, measurement, error);
}

// On the simulator one run yields result, counts and times.
static enum status simulate(struct reduce_job *job, struct reduce_times *times, bool *right, struct error *error) {
    job->watched = true;
    enum status status = measure_all(job, &times->all, error);
    times->first_ns = job->counts.predicted_ns;
    return status == STATUS_OK ? job->detail->check(job, right, error) : status;
}

static enum status verify(struct reduce_job *job, bool *right, struct error *error) {
    enum status status = enqueue(job, error);
    if (status == STATUS_OK) {
        status = device_synchronize(reduce_device(job), error);
    }
    return status == STATUS_OK ? job->detail->check(job, right, error) : status;
}

static enum status verify_and_measure(struct reduce_job *job, struct reduce_times *times, bool *right,
                                      struct error *error) {
    struct measurement first;
    enum status status = verify(job, right, error);
    if (status == STATUS_OK) {
        status = measure_all(job, &times->all, error);
    }
    times->first_ns = times->all.time_ns.median;
    if (status == STATUS_OK && job->plan.pass_count > 1 && !job->run->settings->counting) {
        job->launches = 1;
        status = measure_all(job, &first, error);
        times->first_ns = first.time_ns.median;
    }
    return status;
}

enum status reduce_job_run(struct reduce_job *job, struct reduce_times *times, bool *right, struct error *error) {
    enum status status = prepare(job, error);
    if (status != STATUS_OK) {
        return status;
    }
    return reduce_info(job->run)->predicted ? simulate(job, times, right, error)
                                            : verify_and_measure(job, times, right, error);
}
