// Finds the levels in a latency curve: plateaus and the rises between them.
#ifndef LEVELS_PLATEAUS_H
#define LEVELS_PLATEAUS_H

#include <stddef.h>

enum {
    PLATEAUS_MAX = 8
};

// The latency at one footprint. The points of a curve are in order of footprint.
struct curve_point {
    double footprint, latency;
};

struct plateau {
    double latency;        // the median, without the rise that ends the plateau
    double size;           // the footprint at a tenth of the rise that ends the plateau; 0 for the last plateau
    double low, high;      // low is the last point before the rise, high the first point of the next plateau
    double confidence_pct; // that the rise is not noise; the last plateau has that of the rise before it
};

// Returns the number of levels in the curve, from the nearest on; 0 if it has too few points or is too noisy. A rise
// counts if it is steeper and higher than what the TLB adds, and higher than the noise: at least 12 % and 5 times the
// noise, within less than an octave for each quarter that it adds.
size_t plateaus_find(const struct curve_point *curve, size_t count, struct plateau plateaus[PLATEAUS_MAX]);

#endif
