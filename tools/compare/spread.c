#include "tools/compare/spread.h"
#include "util/statistics.h"

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

double scatter_limit(double *differences, size_t count) {
    if (count < CPU_ROWS_MIN) {
        return INFINITY;
    }
    for (size_t i = 0; i < count; i++) {
        differences[i] = fabs(differences[i]);
    }
    qsort(differences, count, sizeof *differences, by_value);
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
    qsort(differences, count, sizeof *differences, by_value);
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
    qsort(differences, count, sizeof *differences, by_value);
    const double median = differences[count / 2];
    size_t alike = 0;
    for (size_t i = 0; i < count; i++) {
        alike += median * differences[i] > 0;
    }
    const bool is_near = distance_from(differences, count, median, TENTHS) <= fabs(median) / 2;
    return 10 * alike >= TENTHS * count && is_near ? median : 0;
}

enum {
    COMMON_ROWS_MIN = 10,
    TRIGAMMA_BISECTIONS = 100
};
static const double VARIANCE_MIN = 1e-12; // of runs whose medians are equal by the clock's resolution

// Both by recurrence to x >= 6 and the asymptotic series (Abramowitz and Stegun 6.3.18 and 6.4.12).
double digamma(double x) {
    double below = 0;
    for (; x < 6; x++) {
        below -= 1 / x;
    }
    const double f = 1 / (x * x);
    return below + log(x) - 0.5 / x - f * (1. / 12 - f * (1. / 120 - f / 252));
}

double trigamma(double x) {
    double below = 0;
    for (; x < 6; x++) {
        below += 1 / (x * x);
    }
    const double f = 1 / (x * x);
    return below + 1 / x + f / 2 + f / x * (1. / 6 - f * (1. / 30 - f / 42));
}

// The x whose trigamma this is.
static double trigamma_inverse(double value) {
    double low = 1e-3, high = 1e7;
    for (int i = 0; i < TRIGAMMA_BISECTIONS; i++) {
        const double middle = sqrt(low * high);
        if (trigamma(middle) > value) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// The logarithm of a variance, less what its degrees of freedom add to it on average.
static double log_variance(struct spread row) {
    const double half = row.freedom / 2;
    return log(fmax(row.variance, VARIANCE_MIN)) - digamma(half) + log(half);
}

struct spread spread_in_common(const struct spread *rows, size_t count) {
    double mean = 0, squares = 0, by_chance = 0, known = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].freedom > 0) {
            mean += log_variance(rows[i]);
            by_chance += trigamma(rows[i].freedom / 2);
            known++;
        }
    }
    if (known < (double)COMMON_ROWS_MIN) {
        return (struct spread){0, 0};
    }
    mean /= known;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].freedom > 0) {
            squares += (log_variance(rows[i]) - mean) * (log_variance(rows[i]) - mean);
        }
    }
    const double beyond_chance = squares / (known - 1) - by_chance / known;
    if (beyond_chance <= 0) {
        return (struct spread){exp(mean), INFINITY};
    }
    const double half = trigamma_inverse(beyond_chance);
    return (struct spread){exp(mean + digamma(half) - log(half)), 2 * half};
}

struct spread spread_moderate(struct spread common, struct spread row) {
    if (isinf(common.freedom)) {
        return common;
    }
    const double freedom = common.freedom + row.freedom;
    return freedom > 0
               ? (struct spread){(common.freedom * common.variance + row.freedom * row.variance) / freedom, freedom}
               : (struct spread){0, 0};
}

struct spread spread_largest(const struct spread *rows, size_t count) {
    struct spread largest = {0, 0};
    for (size_t i = 0; i < count; i++) {
        if (rows[i].freedom > 0) {
            largest.variance = fmax(largest.variance, rows[i].variance);
            largest.freedom += rows[i].freedom;
        }
    }
    return largest;
}

// ---- Student's t ----

enum {
    FRACTION_STEPS = 300,
    QUANTILE_BISECTIONS = 200
};
static const double PRECISION = 1e-12;

// The continued fraction of the incomplete beta function, by Lentz's method (Abramowitz and Stegun 26.5.8).
static double beta_fraction(double a, double b, double x) {
    static const double TINY = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < TINY ? TINY : d);
    double value = d;
    for (int m = 1; m <= FRACTION_STEPS; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (fabs(1 + even * d) < TINY ? TINY : 1 + even * d);
        c = fabs(1 + even / c) < TINY ? TINY : 1 + even / c;
        value *= d * c;
        d = 1 / (fabs(1 + odd * d) < TINY ? TINY : 1 + odd * d);
        c = fabs(1 + odd / c) < TINY ? TINY : 1 + odd / c;
        value *= d * c;
        if (fabs(d * c - 1) < PRECISION) {
            break;
        }
    }
    return value;
}

// The regularized incomplete beta function I_x(a, b).
static double incomplete_beta(double a, double b, double x) {
    if (x <= 0 || x >= 1) {
        return x <= 0 ? 0 : 1;
    }
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_tail(double t, double freedom) {
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
}

double student_quantile(double probability, double freedom) {
    double low = 0, high = 1;
    while (student_tail(high, freedom) > probability && high < 1e150) {
        high *= 2;
    }
    for (int i = 0; i < QUANTILE_BISECTIONS && high - low > PRECISION * high; i++) {
        const double middle = (low + high) / 2;
        if (student_tail(middle, freedom) > probability) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}
