// What a device's caches are, found out by chases: how they are taken is geometry_measure.c's matter, what follows from
// them is here.
#ifndef LEVELS_GEOMETRY_H
#define LEVELS_GEOMETRY_H

#include "levels/caches.h"
#include "levels/plateaus.h"

enum finding {
    FINDING_AGREES,
    FINDING_DIFFERS,
    FINDING_NOT_KNOWN
};

// Whether a level of this size is the documented one: its interval, or 15 % around its size, holds it.
enum finding geometry_compare_size(const struct plateau *plateau, double documented);

// The documented cache that plateau number `index` of `count` caches' is: one whose size agrees, else, where as many
// are documented, the one of that number. SIZE_MAX: none.
size_t geometry_match(const struct caches *caches, const struct plateau *plateau, size_t index, size_t count);

// Of pairs of places, the second visited right after the first and distances[i] bytes from it: latencies[i] is the
// second's. The distance from which on it is not served by what the first one has fetched; 0: it always is. The nearer
// to neither of the two latencies, the less sure.
double geometry_granularity(const double *distances, const double *latencies, size_t count, double hit, double miss,
                            double *confidence_pct);

#endif
