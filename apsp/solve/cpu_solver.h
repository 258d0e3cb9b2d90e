// The packed solvers that this machine can run, by vector instructions and width of a distance.
#ifndef APSP_SOLVE_CPU_SOLVER_H
#define APSP_SOLVE_CPU_SOLVER_H

#include <stddef.h>

#include "apsp/solve/cpu_kernels.h"

struct solver_pair {
    const char *name; // of the vector instructions
    const struct solver *of_32, *of_16;
};

// The pair of this index among those that this machine can run, widest vectors first; NULL beyond the last.
const struct solver_pair *solver_pair(size_t index);

// The solver with the widest vectors that this machine can run. width_bytes is 4 or 2.
const struct solver *solver_of(size_t width_bytes);

#endif
