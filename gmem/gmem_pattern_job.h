// The variant `pattern`: each point measures every pattern of a file.
#ifndef GMEM_GMEM_PATTERN_JOB_H
#define GMEM_GMEM_PATTERN_JOB_H

#include "gmem/gmem_measure.h"

// What all patterns of a point have in common.
struct gmem_pattern_point {
    uint64_t width_bytes, block;
    uint64_t elements; // the number of elements that addresses are repeated to
};

// Refuses a wrong file, and patterns that do not fit into the device's memory.
enum status gmem_pattern_check_point(const struct run *run, const struct gmem_pattern_point *point,
                                     struct error *error);

enum status gmem_pattern_measure(struct run *run, const struct gmem_pattern_point *point, struct error *error);

#endif
