// The probe's parameters, and what a row of its table of variants holds.
#ifndef APSP_APSP_VARIANT_H
#define APSP_APSP_VARIANT_H

#include "apsp/solve/cpu.h"
#include "apsp/solve/gpu.h"
#include "bench/probe.h"

enum apsp_parameter {
    APSP_VERTICES,
    APSP_TILE,
    APSP_BLOCK,
    APSP_DEVICES
};

struct apsp_detail {
    enum status (*measure)(struct run *run, const struct point *point, struct error *error);
    const struct table_column *columns; // of the table for people
    bool on_cpu;                        // the variant runs on the CPU, not on GPUs
    bool solves;                        // the variant needs a graph
    const struct apsp_cpu_method *cpu;  // of a solution on the CPU
    struct apsp_settings settings;      // of a solution on GPUs; the point and the options add the rest
    bool several;                       // several GPUs share a solution
    bool weak;                          // the graph grows with the number of GPUs
    bool streamed;                      // the matrix stays in the host's memory
    bool transfers;                     // only the transfers to and from the GPU are measured, and no round runs
};

static inline const struct apsp_detail *apsp_detail_of(const struct point *point) {
    return point->variant->detail;
}

#endif
