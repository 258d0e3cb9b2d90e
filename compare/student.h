// Student's t distribution.
#ifndef COMPARE_STUDENT_H
#define COMPARE_STUDENT_H

// The probability that a t of this many degrees of freedom exceeds `t`, which is at least 0.
double student_tail(double t, double freedom);

// The t that is exceeded with this probability, which is below 0.5.
double student_quantile(double probability, double freedom);

#endif
