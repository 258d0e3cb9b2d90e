// The method of a parallel programming course: the three phases on tiles of a padded matrix, OpenMP over the tiles,
// 128-bit vectors in the inner loop. The yardstick of what packing and registers gain.
#ifndef APSP_SOLVE_CPU_COURSE_H
#define APSP_SOLVE_CPU_COURSE_H

#include <stddef.h>
#include <stdint.h>

#include "bench/progress.h"

enum {
    APSP_CPU_COURSE_TILE = 64 // 16 KiB: three fill a first cache
};

size_t apsp_cpu_course_bytes(size_t vertices);
void apsp_cpu_course(const int32_t *input, int32_t *output, void *scratch, size_t vertices, struct progress *progress);

#endif
