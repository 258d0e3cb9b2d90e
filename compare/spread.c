#include "compare/spread.h"

#include <math.h>

enum {
    ROWS_MIN = 10,
    BISECTIONS = 100
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
    for (int i = 0; i < BISECTIONS; i++) {
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
    if (known < (double)ROWS_MIN) {
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
