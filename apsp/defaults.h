// The size of a random graph if --vertices does not say: large enough that the fast solvers run at their full rate.
#ifndef APSP_DEFAULTS_H
#define APSP_DEFAULTS_H

enum {
    APSP_DEFAULT_CPU_VERTICES = 2048,
    APSP_DEFAULT_GPU_VERTICES = 8192
};

#endif
