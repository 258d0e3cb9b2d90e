// The solvers, built once per instruction set (device/cpu/host.h) and width of a distance in bits.
#ifndef APSP_SOLVE_CPU_VECTOR_H
#define APSP_SOLVE_CPU_VECTOR_H

#include "apsp/solve/cpu_kernels.h"
#include "device/cpu/host.h"

#define DECLARE_SOLVERS(vectors, isa) extern const struct solver solver_##isa##_32, solver_##isa##_16;
CPU_VECTORS_BUILT(DECLARE_SOLVERS)

#endif
