// Finds the levels in a latency curve: plateaus, and the rises between them.
#ifndef LEVELS_PLATEAUS_H
#define LEVELS_PLATEAUS_H

#include <stddef.h>

enum {
    PLATEAUS_MAX = 8
};

// The latency at one footprint. A curve's points are in the order of their footprints.
struct curve_point {
    double footprint, latency;
};

struct plateau {
    double latency;        // the median, without the rise that ends the plateau
    double size;           // the footprint at a tenth of the rise, where the plateau ends; 0 for the last plateau
    double low, high;      // points up to low are before the rise, and those from high on belong to the next plateau
    double confidence_pct; // that the rise is not noise; for the last plateau that of the rise before it
};

// Returns how many levels the curve shows, from the nearest on; 0 where it has too few points or is too noisy. A rise
// counts where it is steeper and higher than what the TLB adds, and higher than the noise: at least 12 % and 5 times
// the noise, within less than an octave for each quarter that it adds.
size_t plateaus_find(const struct curve_point *curve, size_t count, struct plateau plateaus[PLATEAUS_MAX]);

#endif
