// The graph of a point, and the points that a budget leaves.
#ifndef APSP_APSP_INPUT_H
#define APSP_APSP_INPUT_H

#include "apsp/apsp_session.h"
#include "bench/probe.h"

// ---- The graph ----

// Refuses a graph that cannot be made, and reads the file that --graph names, before anything is measured.
enum status apsp_input_check(const struct run *run, uint64_t vertices, struct error *error);

// Gives the graph, which the session owns, with or without its distances. With --graph it is that file's, whatever
// vertices says.
enum status apsp_input_graph(const struct run *run, uint64_t vertices, const struct apsp_input **input,
                             struct error *error);
enum status apsp_input_distances(const struct run *run, uint64_t vertices, const struct apsp_input **input,
                                 struct error *error);
void apsp_input_release(struct apsp_input *input);

// The edges that next hops are found by, of the graph that the calls above found; NULL if no paths are wanted.
enum status apsp_input_hop_edges(const struct run *run, const struct apsp_hop_edges **edges, struct error *error);

// How many vertices a point's graph has.
uint32_t apsp_vertices(const struct run *run, const struct point *point);

// Memory for vertices^2 words, to be freed; NULL if there is not enough.
int32_t *apsp_matrix_allocate(uint64_t vertices);

// Emits rows of reading and initialising, as far as they took place, on the CPU.
enum status apsp_emit_input(struct run *run, const struct apsp_input *input, struct error *error);

// ---- Cost ----

// The cost of a point, for the plan that keeps within the budget.

// Estimates the cost of a solution on the CPU. The plan learns the cost on GPUs from the first solutions.
void apsp_cost(const struct run *run, const struct point *point, struct point_cost *cost);

#endif
