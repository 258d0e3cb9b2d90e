// All shortest paths on the CPU.
#ifndef APSP_SOLVE_CPU_H
#define APSP_SOLVE_CPU_H

#include <stddef.h>
#include <stdint.h>

#include "apsp/solve/progress.h"

struct apsp_cpu_problem {
    const int32_t *input; // vertices^2 distances, as graph_distances makes them
    int32_t *output;      // the same layout
    void *scratch;        // scratch_bytes of memory, aligned to 64 bytes
    uint32_t vertices;
    int32_t max_weight;        // graph_max_weight of the graph
    struct progress *progress; // NULL: not wanted
};

struct apsp_cpu_method {
    uint32_t (*solve)(const struct apsp_cpu_problem *problem); // returns the bytes of a distance that it computed with
    uint64_t (*scratch_bytes)(uint32_t vertices);
    uint32_t pivots_per_round; // progress advances once per round
};

extern const struct apsp_cpu_method apsp_cpu_reference; // the triple loop by one thread
extern const struct apsp_cpu_method apsp_cpu_course;
extern const struct apsp_cpu_method apsp_cpu_tiled; // cpu_solver.h
extern const struct apsp_cpu_method apsp_cpu_int16; // the same with 16 bits, or 32 if distances need them

static inline size_t apsp_cpu_rounds(const struct apsp_cpu_method *method, uint32_t vertices) {
    return (vertices + method->pivots_per_round - 1) / method->pivots_per_round;
}

#endif
