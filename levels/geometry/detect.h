// Conclusions about a device's caches from chases: the levels in a latency curve, and what further chases say about
// each. This file only computes.
#ifndef LEVELS_GEOMETRY_DETECT_H
#define LEVELS_GEOMETRY_DETECT_H

#include <stdbool.h>
#include <stddef.h>

#include "levels/caches.h"
#include "util/statistics.h"

// ---- The levels in a latency curve: plateaus, and the rises between them ----

enum {
    PLATEAUS_MAX = 8
};

// The latency at one footprint. The points of a curve are in order of footprint.
struct curve_point {
    double footprint, latency;
    double spread; // by which its samples differ, over the latency; 0: not known
};

struct plateau {
    double latency;        // the median, without the rise that ends the plateau
    double size;           // the footprint at a tenth of the rise that ends the plateau; 0 for the last plateau
    double low, high;      // low is the last point before the rise, high the first point of the next plateau
    double confidence_pct; // that the rise is not noise; the last plateau has that of the rise before it
};

// Sets disturbed[i] where a larger footprint takes clearly less time, as if another program had lengthened the chase.
// Returns the number of such points.
size_t plateaus_disturbed(const struct curve_point *curve, size_t count, bool *disturbed);

// Returns the number of levels in the curve, from the nearest on; 0 if it has too few points or is too noisy. A rise
// counts if it is steeper and higher than what the TLB adds, and higher than the noise: at least 12 % and 5 times the
// noise, within less than an octave for each quarter that it adds. The noise is that from point to point, or the
// points' own spread if that is larger. A few points that were disturbed are left out. The last level has no confidence
// if the curve rises behind it all the same.
size_t plateaus_find(const struct curve_point *curve, size_t count, struct plateau plateaus[PLATEAUS_MAX]);

// ---- Questions about one level ----

enum finding {
    FINDING_AGREES,
    FINDING_DIFFERS,
    FINDING_NOT_KNOWN
};

// Whether the rise that ends a level is so long that no size follows from it.
bool geometry_is_gradual(const struct plateau *plateau);

// Whether a measured level agrees with a documented size, which lies within 15 % of its size, or in its interval if
// that is short.
enum finding geometry_compare_size(const struct plateau *plateau, double documented);

// Whether a measured bandwidth agrees with a peak: it is up to 15 % lower, and not higher. A peak of 0 is unknown.
enum finding geometry_compare_bandwidth(double bandwidth, double peak);

// The same for a number that is right or wrong.
enum finding geometry_compare_count(double found, double documented);

// The index of the documented cache for plateau number `index` of `count`: a cache whose size agrees or at least lies
// in the interval, or the one of the same number if as many are documented. SIZE_MAX: none.
size_t geometry_match(const struct caches *caches, const struct plateau *plateau, size_t index, size_t count);

// latencies[i] is the latency of the second access of a pair, distances[i] bytes after the first. Returns the distance
// from which on the first access's fetch no longer serves the second; 0: it always does. The confidence falls when a
// latency lies between hit and miss.
double geometry_granularity(const double *distances, const double *latencies, size_t count, double hit, double miss,
                            double *confidence_pct);

// latencies[i] is that of elements distances[i] apart, from far to near, which hit as long as they skip lines. Returns
// the first distance that misses; 0: none does, or all do. Nearer elements share what a miss fetches, so they need only
// be slower than hits.
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

// The confidence that is left where the latencies that tell hits from misses scatter by that much.
double geometry_clear_pct(double confidence_pct, double hit, double miss, double scatter);

// The confidence that the median of that many samples with this noise (standard deviation over mean) is right within 5
// %.
double geometry_confidence(double noise, size_t samples);

// The confidence that no undisturbed sample would be more than 5 % shorter than the shortest of these: it grows with
// the number of samples that come as near, and falls with the share of the time that threads waited for a processor
// (NaN: not known).
double geometry_confidence_of_shortest(const struct statistics *time, size_t samples, double waited_pct);

// Whether a level's bandwidth is below that of the next one, which no cache's is; 0: not measured.
bool geometry_is_slower(double bandwidth, double next);

#endif
