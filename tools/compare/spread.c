#include "tools/compare/spread.h"

#include <math.h>

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
