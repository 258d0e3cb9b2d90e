// The types and sizes of a run.
#ifndef REDUCE_REDUCE_POINTS_H
#define REDUCE_REDUCE_POINTS_H

#include "reduce/reduce.h"

struct reduce_session; // kept for a run of the program: reduce_session.h

// The types that --type names, one bit each.
enum status reduce_types(const struct reduce_session *session, unsigned *types, struct error *error);

bool reduce_has_type(const struct reduce_detail *detail, enum reduce_type type);

// The smallest power of two that exceeds the last-level cache by CACHE_MULTIPLE, the same for every variant.
uint64_t reduce_default_elements(const struct device_info *info, size_t bytes);

// The elements of a point, where 0 stands for the default.
uint64_t reduce_elements(const struct run *run, const struct point *point, enum reduce_type type);

// Whether the point is one of the many default sizes of a variant.
bool reduce_is_swept(const struct run *run, const struct point *point);

#endif
