// Statistics of a list of samples.
#ifndef UTIL_STATISTICS_H
#define UTIL_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

// The 95 % interval of a median: of many such intervals at least 95 % hold it, whatever the samples' distribution.
struct interval {
    double low, high; // NaN if so few samples have no such interval
};

enum {
    INTERVAL_SAMPLES_MIN = 6 // fewer lie on one side of the median in more than 5 % of cases
};

struct statistics {
    double median, min, max, mean;
    double lower_quartile, upper_quartile;
    double noise;             // standard deviation (of the sample, n - 1) over mean; 0 for one sample
    struct interval interval; // of the median
    double effective;         // as many independent samples would tell as much about the median
    double drift;             // change from the first half's median to the second's; 0 if chance may explain it
    double modes;             // distance of the two groups that the samples fall into, over the median; 0: one group;
                              // NaN: too few samples to tell
};

// count >= 1. The samples must be in the order in which they were taken; they are left in ascending order.
struct statistics statistics_of(double *samples, size_t count);

// Statistics of nothing: every figure is NaN.
struct statistics statistics_unknown(void);

// The interval of the median of samples in ascending order, that tell as much as `effective` independent ones.
struct interval interval_of_median(const double *ascending, size_t count, double effective);

// The order of two doubles, for qsort.
int by_value(const void *a, const void *b);

// Sorts the values, at least one, and returns their median.
double sort_to_median(double *values, size_t count);

// Half the interval's width over the median, in percent; NaN without an interval.
double statistics_interval_pct(const struct statistics *statistics);

#endif
