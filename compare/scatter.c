#include "compare/scatter.h"

#include <math.h>
#include <stdlib.h>

enum {
    ROWS_MIN = 20,
    TENTHS = 9 // the quantile, which few changed rows do not move
};
// Of 278 rows of twelve pairs of runs on a virtual machine with neighbours, two lay beyond this multiple of the
// quantile.
static const double beyond_quantile = 3;

static int compare_numbers(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double scatter_limit(double *differences, size_t count) {
    if (count < ROWS_MIN) {
        return INFINITY;
    }
    qsort(differences, count, sizeof *differences, compare_numbers);
    return beyond_quantile * differences[count * TENTHS / 10];
}
