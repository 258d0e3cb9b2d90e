// The levels in a latency curve: plateaus, and the rises between them. Pure numbers.
#ifndef LEVELS_PLATEAUS_H
#define LEVELS_PLATEAUS_H

#include <stddef.h>

enum {
    PLATEAUS_MAX = 8
};

// Of one footprint; a curve's points stand in the order of their footprints.
struct curve_point {
    double footprint, latency;
};

struct plateau {
    double latency;        // the median, beside the rise that ends it
    double size;           // where it ends: the footprint at which a tenth of the rise is done; the last one's is 0
    double low, high;      // no point up to low belongs to the rise, and all from high on to the next plateau
    double confidence_pct; // that the rise is no noise; of the last plateau that of the rise before it
};

// How many levels the curve shows, from the nearest on; 0: it has too few points, or is too noisy to tell.
// A rise counts that is steeper and higher than what the TLB adds, and higher than the noise: 12 % or more, and 5 times
// the noise, within less than an octave for each quarter that it adds.
size_t plateaus_find(const struct curve_point *curve, size_t count, struct plateau plateaus[PLATEAUS_MAX]);

#endif
