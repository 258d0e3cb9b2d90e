// Predicts the time of a solution that prepares the next pivot during the rest of a round: in a second stream
// (solve/team.c), or with small tiles in the same launch (solve/gpu_round.h).
#ifndef APSP_APSP_LOOK_AHEAD_H
#define APSP_APSP_LOOK_AHEAD_H

#include "apsp/apsp_gpu_job.h"

// Whether the rounds of a solution overlap in this way.
bool apsp_looks_ahead(const struct apsp_job *job);

// Runs the one kernel that the steps leave out, phase 3 of the next pivot's row and column, and tells its time.
enum status apsp_look_ahead_cross(struct apsp_job *job, double *time_ns, struct error *error);

// Replaces the time of a small tile's rounds (job->tallies). Its launches have blocks of two kinds, which the simulator
// takes for alike, so each kind is launched by itself, too.
enum status apsp_look_ahead_small(struct apsp_job *job, struct error *error);

// The time of all rounds, from the times of the steps (job->tallies) and of the cross.
double apsp_look_ahead_ns(const struct apsp_job *job, double cross_ns);

#endif
