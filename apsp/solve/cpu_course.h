// The method of a parallel programming course: the three phases on tiles of a padded matrix, with OpenMP over the tiles
// and 128-bit vectors in the inner loop. It shows what packing and register tiles gain.
#ifndef APSP_SOLVE_CPU_COURSE_H
#define APSP_SOLVE_CPU_COURSE_H

#include <stddef.h>
#include <stdint.h>

#include "apsp/solve/progress.h"

enum {
    APSP_CPU_COURSE_TILE = 64 // three tiles of 16 KiB fill a first-level cache
};

size_t apsp_cpu_course_bytes(size_t vertices);
void apsp_cpu_course_solve(const int32_t *input, int32_t *output, void *scratch, size_t vertices,
                           const struct apsp_progress *progress);

#endif
