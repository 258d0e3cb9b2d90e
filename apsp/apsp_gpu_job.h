// A solution on GPUs under way: what apsp_measure_gpu.c measures and apsp_gpu_rows.c reports.
#ifndef APSP_APSP_GPU_JOB_H
#define APSP_APSP_GPU_JOB_H

#include "apsp/solve/team.h"
#include "bench/progress.h"

// What all launches of one kernel came to.
struct apsp_tally {
    uint64_t launches;
    double time_ns, bound_ns;
    const char *bound_by; // of the last launch
    struct launch_counts counts;
};

struct apsp_job {
    struct run *run;
    const struct apsp_input *input;
    struct bench_device *benches[SELECTION_DEVICES_MAX]; // of the team's devices
    struct apsp_team team;
    double pin_ns, copy_in_ns, initialise_ns, exchange_ns, copy_out_ns;
    struct apsp_tally *tallies; // of each step; NULL: the steps follow one another unmeasured
    struct progress progress;
    int32_t *distances; // the result, on the host
    size_t pinned;      // how many of the host's matrices are
};

// What all devices of a team have in common is told by the first one.
static inline const struct apsp_gpu *first_gpu(const struct apsp_job *job) {
    return &job->team.gpus[0];
}

static inline const struct device_info *info_of(const struct apsp_job *job) {
    return &first_gpu(job)->device->info;
}

// Only some blocks of the first round are simulated.
static inline bool sampled(const struct apsp_job *job) {
    return info_of(job)->simulated_blocks > 0;
}

// The matrix goes to the device and back, and no round is run.
static inline bool transfers(const struct apsp_job *job) {
    return first_gpu(job)->detail->transfers;
}

// The rows of a job that is done, and the file of its result.
enum status apsp_job_emit(struct apsp_job *job, const struct measurement *measurement, enum verification verification,
                          struct error *error);

#endif
