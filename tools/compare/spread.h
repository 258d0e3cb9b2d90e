// What the judge knows of chance: how far single runs of a device differ, by all rows of a comparison; the spread
// between runs, where a few runs of each row are not enough to know the row's own; and Student's t distribution.
#ifndef TOOLS_COMPARE_SPREAD_H
#define TOOLS_COMPARE_SPREAD_H

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
