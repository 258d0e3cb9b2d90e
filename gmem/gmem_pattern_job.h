// The variant `pattern`: each point measures every pattern of a file.
#ifndef GMEM_GMEM_PATTERN_JOB_H
#define GMEM_GMEM_PATTERN_JOB_H

#include "gmem/gmem_measure.h"

// The layout has the point's width, and the number of elements that addresses are repeated to.

// Refuses a wrong file, and patterns that do not fit into the device's memory.
enum status gmem_pattern_check_point(const struct run *run, const struct gmem_layout *layout, struct error *error);

enum status gmem_pattern_measure(struct run *run, const struct gmem_layout *layout, uint64_t block,
                                 struct error *error);

#endif
