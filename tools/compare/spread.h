// What the judge knows of chance: the spread between runs, where a few runs of each row are not enough to know the
// row's own, and Student's t distribution.
#ifndef TOOLS_COMPARE_SPREAD_H
#define TOOLS_COMPARE_SPREAD_H

#include <stddef.h>
// ---- Runs ----

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

// ---- Student's t ----

// The probability that a t of this many degrees of freedom exceeds `t`, which is at least 0.
double student_tail(double t, double freedom);

// The t that is exceeded with this probability, which is below 0.5.
double student_quantile(double probability, double freedom);

#endif
