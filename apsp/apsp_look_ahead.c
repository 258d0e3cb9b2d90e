#include "apsp/apsp_look_ahead.h"

#include <math.h>

#include "apsp/solve/gpu_round.h"
#include "model/time/time.h"
#include "model/time/time_constants.h"

bool apsp_looks_ahead(const struct apsp_job *job) {
    const struct apsp_gpu *gpu = first_gpu(job);
    return gpu->settings.kernels == APSP_REGISTERS && !apsp_is_small(&gpu->settings) && gpu->settings.look_ahead &&
           gpu->rounds > 1 && !job->transfers;
}

// ---- In a second stream ----

enum status apsp_look_ahead_cross(struct apsp_job *job, double *time_ns, struct error *error) {
    struct apsp_gpu *gpu = &job->team.gpus[0];
    device_predict_begin(gpu->device);
    TRY(apsp_round_next(gpu, NULL, 0, error));
    *time_ns = device_predict_end(gpu->device).ns - (apsp_wants_graph(job) ? time_constants.ramp_ns : 0);
    return STATUS_OK;
}

// The time of one launch, without the events around it.
static double launch_ns(const struct apsp_job *job, enum apsp_step step) {
    const struct apsp_tally *tally = &job->tallies[step];
    return (tally->time_ns - tally->events_ns - tally->graph_ns) / first_gpu(job)->rounds;
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

// ---- In the same launch ----

// The time of some blocks of the first round.
static enum status time_blocks(struct apsp_job *job, struct apsp_small_blocks blocks, double *time_ns,
                               struct error *error) {
    struct apsp_gpu *gpu = &job->team.gpus[0];
    device_predict_begin(gpu->device);
    TRY(apsp_small_round(gpu, NULL, 1, blocks, error));
    *time_ns = device_predict_end(gpu->device).ns;
    return STATUS_OK;
}

// A launch takes as long as the blocks that prepare, or as the work of all blocks, which units share. Where a unit runs
// one block at a time, the last turn of the blocks that finish leaves units idle, which prepare meanwhile.
static double small_round_ns(const struct apsp_job *job, double prepare_ns, double finish_ns,
                             struct apsp_small_blocks blocks) {
    const double units = info_of(job)->compute_units, share = fmin(1, blocks.prepare / units);
    const double overhead = launch_overhead_ns(info_of(job)->gpu, blocks.prepare), turns = blocks.finish / units;
    const double busy = apsp_gpu_small_shape(first_gpu(job)).unit_blocks == 1 ? turns / ceil(turns) : 1;
    const double work = busy * (finish_ns - overhead) + share * (prepare_ns - overhead);
    return fmax(prepare_ns, overhead + work);
}

enum status apsp_look_ahead_small(struct apsp_job *job, struct error *error) {
    const struct apsp_small_blocks both = apsp_small_blocks(first_gpu(job), 1);
    const struct apsp_small_blocks prepare = {.prepare = both.prepare}, finish = {.finish = both.finish};
    const double rounds = first_gpu(job)->rounds;
    struct apsp_tally *tally = &job->tallies[APSP_ROUND];
    double prepare_ns = 0, finish_ns = 0;
    if (both.prepare == 0) {
        return STATUS_OK;
    }
    enum status status = time_blocks(job, prepare, &prepare_ns, error);
    THEN(status, time_blocks(job, finish, &finish_ns, error));
    const double all_ns = (rounds - 1) * small_round_ns(job, prepare_ns, finish_ns, both) + finish_ns;
    tally->time_ns = (double)tally->launches * (all_ns / rounds + time_constants.events_ns);
    return status;
}
