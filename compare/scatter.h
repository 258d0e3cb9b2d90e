// How far single runs of one CPU differ, judged by all rows of a comparison.
#ifndef COMPARE_SCATTER_H
#define COMPARE_SCATTER_H

#include <stddef.h>

// The least difference that stands out among these absolute differences; infinite if they are too few. Sorts them.
double scatter_limit(double *differences, size_t count);

#endif
