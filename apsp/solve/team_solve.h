// Runs a whole solution on a team, at full speed or step by step, or records it as a graph.
#ifndef APSP_SOLVE_TEAM_SOLVE_H
#define APSP_SOLVE_TEAM_SOLVE_H

#include "apsp/solve/progress.h"
#include "apsp/solve/team.h"
#include "device/launch_graph.h"

// Enqueues a whole solution and does not wait for it. The first GPU's default stream finishes last. A team of several
// GPUs needs register_tiled.cu.
enum status apsp_team_enqueue(struct apsp_team *team, struct error *error);

// Whether a solution can be recorded as a graph: one GPU solves alone, and the host looks at nothing on the way.
bool apsp_team_can_capture(const struct apsp_team *team);

// Solves once, so that the driver has loaded all kernels, then records a solution. *graph is NULL if the driver has no
// graphs or refuses to make one, which is no error; *refused, which the caller clears, then says why.
enum status apsp_team_capture(struct apsp_team *team, struct launch_graph **graph, struct error *refused,
                              struct error *error);

// Likewise enqueues only the steps before and after the rounds, on a team of one.
enum status apsp_team_enqueue_padding(struct apsp_team *team, struct error *error);

// Calls a function for each step and for each exchange between GPUs, so that the caller can measure them.
struct apsp_step_visitor {
    enum status (*step)(void *context, enum apsp_step step, uint32_t pivot, struct error *error);
    enum status (*exchange)(void *context, uint32_t pivot, struct error *error);
    void *context;
    const struct apsp_progress *progress; // may be NULL
};

// Visits the steps of `rounds` rounds in their order, and the steps before and after them.
enum status apsp_team_visit(struct apsp_team *team, uint32_t rounds, const struct apsp_step_visitor *visitor,
                            struct error *error);

#endif
