// Conclusions about a device's caches from chases. This file only computes.
#ifndef LEVELS_GEOMETRY_DETECT_H
#define LEVELS_GEOMETRY_DETECT_H

#include <stdbool.h>

#include "levels/caches.h"
#include "levels/geometry/plateaus.h"

enum finding {
    FINDING_AGREES,
    FINDING_DIFFERS,
    FINDING_NOT_KNOWN
};

// Whether a measured level agrees with a documented size: the size lies in its interval or within 15 % of its size.
enum finding geometry_compare_size(const struct plateau *plateau, double documented);

// Whether a measured bandwidth agrees with a peak: it is up to 15 % lower, and not higher. A peak of 0 is unknown.
enum finding geometry_compare_bandwidth(double bandwidth, double peak);

// The same for a number that is right or wrong.
enum finding geometry_compare_count(double found, double documented);

// The index of the documented cache for plateau number `index` of `count`: a cache whose size agrees, or the one of the
// same number if as many are documented. SIZE_MAX: none.
size_t geometry_match(const struct caches *caches, const struct plateau *plateau, size_t index, size_t count);

// latencies[i] is the latency of the second access of a pair, distances[i] bytes after the first. Returns the distance
// from which on the first access's fetch no longer serves the second; 0: it always does. The confidence falls when a
// latency lies between hit and miss.
double geometry_granularity(const double *distances, const double *latencies, size_t count, double hit, double miss,
                            double *confidence_pct);

// latencies[i] is that of elements distances[i] apart, from far to near, which hit as long as they skip lines. Returns
// the first distance that misses; 0: none. Nearer elements share what a miss fetches, so they need only be slower than
// hits.
double geometry_unskipped(const double *distances, const double *latencies, size_t count, double hit, double miss,
                          double *confidence_pct);

// latencies[i] is that of a chase through elements[i] lines of one set of a cache, which hit up to the set's ways.
// Returns the ways; 0: no number of lines separates hits from misses, for instance because addresses are hashed to
// sets.
double geometry_ways(const double *elements, const double *latencies, size_t count, double hit, double miss,
                     double *confidence_pct);

// Whether one of two chases, which each take most of a cache, takes longer because of the other.
bool geometry_is_shared(double alone, double together, double miss, double *confidence_pct);

// The number of units that found lines in a level, from the latency of each, where the next level takes `miss`. The
// confidence is that no unit is on the wrong side, from how the units on each side scatter.
uint32_t geometry_sharers(const double *latencies, size_t count, double hit, double miss, double *confidence_pct);

// The confidence that the median of that many samples with this noise (standard deviation over mean) is right within 5
// %.
double geometry_confidence(double noise, size_t samples);

#endif
