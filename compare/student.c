#include "compare/student.h"

#include <math.h>

enum {
    FRACTION_STEPS = 300,
    BISECTIONS = 200
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
    for (int i = 0; i < BISECTIONS && high - low > PRECISION * high; i++) {
        const double middle = (low + high) / 2;
        if (student_tail(middle, freedom) > probability) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}
