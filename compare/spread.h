// The spread between runs, where a few runs of each row are not enough to know the row's own.
#ifndef COMPARE_SPREAD_H
#define COMPARE_SPREAD_H

#include <stddef.h>

struct spread {
    double variance, freedom; // freedom 0: unknown
};

// What the rows' spreads have in common: the usual variance, and as how many degrees of freedom it counts beside a
// row's own (Smyth 2004, empirical Bayes). Infinite if the rows differ by no more than chance; 0 with too few rows to
// tell.
struct spread spread_in_common(const struct spread *rows, size_t count);

// The row's spread and the common one, weighted by their degrees of freedom.
struct spread spread_moderate(struct spread common, struct spread row);

// The largest variance of a row, with the degrees of freedom of all rows together.
struct spread spread_largest(const struct spread *rows, size_t count);

double digamma(double x);  // the derivative of lgamma
double trigamma(double x); // of digamma

#endif
