#include "tools/compare/scatter.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
    CPU_ROWS_MIN = 20,
    ROWS_MIN = 16,
    SIDE_ROWS_MIN = 5,
    TENTHS = 9, // the quantile, which few changed rows do not move
    HALF = 5
};
// Of 278 rows of twelve pairs of runs on a virtual machine with neighbours, two lay beyond this multiple of the
// quantile.
static const double beyond_quantile = 3;
static const double FEW_ROWS = 24; // a few rows may lie close together by chance
// Where so few rows do not show how far runs differ: runs that shift by 2 % (standard deviation) differ by
// less in 99 of 100 rows.
static const double unknown_scatter = 0.08;

static int compare_numbers(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void sort(double *numbers, size_t count) {
    qsort(numbers, count, sizeof *numbers, compare_numbers);
}

double scatter_limit(double *differences, size_t count) {
    if (count < CPU_ROWS_MIN) {
        return INFINITY;
    }
    for (size_t i = 0; i < count; i++) {
        differences[i] = fabs(differences[i]);
    }
    sort(differences, count);
    return beyond_quantile * differences[count * TENTHS / 10];
}

// The quantile, in tenths, of the distances of the sorted differences from a center.
static double distance_from(const double *differences, size_t count, double center, size_t tenths) {
    size_t low = 0, high = count;
    double farthest = 0;
    for (size_t left = count - count * tenths / 10; left > 0 && low < high; left--) { // from either end
        const double below = fabs(differences[low] - center), above = fabs(differences[high - 1] - center);
        farthest = fmax(below, above);
        low += below > above;
        high -= below <= above;
    }
    return farthest;
}

// What the rows that went one way say about those that went the other way. `distances` are theirs, ascending with the
// step. Where nearly all rows went the other way, their distances from their median count, too.
static double limit_of(const double *distances, ptrdiff_t step, size_t count, double beyond, double common) {
    if (count >= SIDE_ROWS_MIN) {
        return beyond * fabs(distances[step * (ptrdiff_t)(count * TENTHS / 10)]);
    }
    return fmax(common, count > 0 ? beyond * fabs(distances[step * (ptrdiff_t)(count - 1)]) : 0);
}

struct scatter_limits scatter_limits(double *differences, size_t count) {
    static const double MEDIAN = 2.44; // the quantile of normal differences over the median of their amounts
    if (count < ROWS_MIN) {
        return (struct scatter_limits){unknown_scatter, unknown_scatter};
    }
    sort(differences, count);
    size_t down = 0, up_from = 0; // what is 0 counts on both sides
    while (down < count && differences[down] <= 0) {
        down++;
    }
    while (up_from < count && differences[up_from] < 0) {
        up_from++;
    }
    const double beyond = beyond_quantile + FEW_ROWS / (double)count;
    const double common = MEDIAN * beyond * distance_from(differences, count, differences[count / 2], HALF);
    return (struct scatter_limits){
        .slower = limit_of(differences + up_from, 1, count - up_from, beyond, common),
        .faster = limit_of(differences + down - 1, -1, down, beyond, common),
    };
}

double scatter_common(double *differences, size_t count) {
    if (count == 0) {
        return 0;
    }
    sort(differences, count);
    const double median = differences[count / 2];
    size_t alike = 0;
    for (size_t i = 0; i < count; i++) {
        alike += median * differences[i] > 0;
    }
    const bool is_near = distance_from(differences, count, median, TENTHS) <= fabs(median) / 2;
    return 10 * alike >= TENTHS * count && is_near ? median : 0;
}
