// The measurement of a point on GPUs: apsp_measure_gpu.c makes it, times its steps, and reports it.
#ifndef APSP_APSP_GPU_JOB_H
#define APSP_APSP_GPU_JOB_H

#include <string.h>

#include "apsp/apsp_session.h"
#include "apsp/solve/team.h"
#include "util/statistics.h"
#include "util/terminal.h"

// The sums over all times that a step runs. With wide tiles a phase has several launches.
struct apsp_tally {
    uint64_t launches; // of the step
    double time_ns, bound_ns;
    size_t samples;                // measured: solutions that time_ns is the median of
    struct statistics solution_ns; // of these
    double events_ns;              // predicted: the share of the events in time_ns
    double graph_ns;               // predicted: what the launches of a whole solution take less in a graph
    const char *bound_by;          // what bounds the last launch
    struct launch_counts counts;
};

struct apsp_job {
    struct run *run;
    const struct apsp_input *input;
    bool transfers;                              // the matrix goes to the GPU and back, and no round runs
    struct bench_device *benches[APSP_TEAM_MAX]; // the team's devices
    struct apsp_team team;
    struct launch_graph *graph; // of a whole solution; NULL: its launches go to streams one by one
    double pin_ns, copy_in_ns, initialise_ns, exchange_ns, copy_out_ns;
    struct apsp_tally tallies[APSP_STEPS];
    struct progress progress;
    int32_t *distances; // the result, on the host
    int32_t *next;      // next hops, if they are wanted
    uint64_t paths;     // that they make, once they are checked
    size_t pinned;      // number of the host's matrices that are pinned
};

// Stands for the team in everything that its GPUs have in common.
static inline const struct apsp_gpu *first_gpu(const struct apsp_job *job) {
    return &job->team.gpus[0];
}

static inline const struct device_info *info_of(const struct apsp_job *job) {
    return &first_gpu(job)->device->info;
}

// Whether only some blocks of the first round are simulated.
static inline bool sampled(const struct apsp_job *job) {
    return info_of(job)->simulated_blocks > 0;
}

// Whether the solution's launches shall be recorded as a graph.
static inline bool apsp_wants_graph(const struct apsp_job *job) {
    return !job->transfers && apsp_team_can_capture(&job->team) &&
           strcmp(apsp_options_of(job->run)->launch, "graph") == 0;
}

// Whether the first round runs alone and stands for the others: where blocks are sampled, or a profiler counts.
static inline bool first_round_alone(const struct apsp_job *job) {
    return sampled(job) || job->run->settings->counting;
}

#endif
