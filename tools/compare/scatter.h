// How far single runs of one device differ, judged by all rows of a comparison.
#ifndef COMPARE_SCATTER_H
#define COMPARE_SCATTER_H

#include <stddef.h>

// The least difference of single runs of a CPU that stands out among these differences; infinite if they are too few.
// Changes them.
double scatter_limit(double *differences, size_t count);

// The differences that few runs of a device must exceed, in either direction.
struct scatter_limits {
    double slower, faster;
};

// From the logarithms of the speed ratios of all rows. If nothing changed, as many rows go up as down, and as far. So
// what a row must exceed that went down follows from the rows that went up, which a change for the worse leaves alone;
// and the other way round. Sorts them.
struct scatter_limits scatter_limits(double *differences, size_t count);

// The median of the differences if nearly all of them are on its side and near to it; 0 if they are not. Sorts them.
double scatter_common(double *differences, size_t count);

#endif
