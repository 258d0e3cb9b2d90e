#include "apsp/apsp_look_ahead.h"

#include <math.h>

#include "apsp/solve/gpu_round.h"

bool apsp_looks_ahead(const struct apsp_job *job) {
    const struct apsp_gpu *gpu = first_gpu(job);
    return gpu->settings.kernels == APSP_REGISTERS && gpu->settings.look_ahead && gpu->rounds > 1 && !job->transfers;
}

enum status apsp_look_ahead_cross(struct apsp_job *job, double *time_ns, struct error *error) {
    struct apsp_gpu *gpu = &job->team.gpus[0];
    const struct bench_device *bench = job->benches[0];
    enum status status = device_event_record(gpu->device, bench->start, error);
    if (status == STATUS_OK) {
        status = apsp_round_next(gpu, NULL, 0, error);
    }
    if (status == STATUS_OK) {
        status = device_event_record(gpu->device, bench->stop, error);
    }
    if (status == STATUS_OK) {
        status = device_synchronize(gpu->device, error);
    }
    return status == STATUS_OK ? device_event_elapsed(gpu->device, bench->start, bench->stop, time_ns, error) : status;
}

// Of one launch, without the events around it.
static double launch_ns(const struct apsp_job *job, enum apsp_step step) {
    const struct apsp_tally *tally = &job->tallies[step];
    return (tally->time_ns - tally->events_ns) / first_gpu(job)->rounds;
}

// The share of the compute units that a step has blocks for.
static double share_of_units(const struct apsp_job *job, enum apsp_step step) {
    const struct dimensions grid = apsp_round_grid(first_gpu(job), step);
    return fmin(1, (double)grid.x * grid.y / info_of(job)->compute_units);
}

// A round takes as long as its work, to which the next pivot's phases 1 and 2 add their share of the units, or as the
// next pivot's kernels, which wait for one another. As long as phase 3 keeps all units busy, each unit that runs one of
// these also runs a block of phase 3, and both take twice as long.
static double round_ns(const struct apsp_job *job, double cross_ns) {
    const double phase1 = launch_ns(job, APSP_PHASE1), phase2 = launch_ns(job, APSP_PHASE2);
    const double phase3 = launch_ns(job, APSP_PHASE3);
    const double work = phase3 + phase1 * share_of_units(job, APSP_PHASE1) + phase2 * share_of_units(job, APSP_PHASE2);
    const double chain = cross_ns + phase1 + phase2;
    const double others = first_gpu(job)->tiles - 2.0; // in a row, beside the pivot's tile and the next pivot's
    const bool fills = others * others >= info_of(job)->compute_units;
    return fmax(work, chain + (fills ? phase3 / 2 : 0));
}

double apsp_look_ahead_ns(const struct apsp_job *job, double cross_ns) {
    const double first = launch_ns(job, APSP_PHASE1) + launch_ns(job, APSP_PHASE2);
    return first + (first_gpu(job)->rounds - 1) * round_ns(job, cross_ns) + launch_ns(job, APSP_PHASE3);
}
