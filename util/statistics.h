// Statistics of a list of samples.
#ifndef UTIL_STATISTICS_H
#define UTIL_STATISTICS_H

#include <stddef.h>

struct statistics {
    double median, min, max, mean;
    double lower_quartile, upper_quartile;
    double noise; // standard deviation (of the sample, n - 1) over mean; 0 for one sample
};

// count >= 1. The samples are left in ascending order.
struct statistics statistics_of(double *samples, size_t count);

#endif
