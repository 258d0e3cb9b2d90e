#ifndef MODEL_OVERLAP_H
#define MODEL_OVERLAP_H

#include <math.h>

// The time that two parts take together: their sum at norm 1, the longer one at an infinite norm.
static inline double overlap(double a, double b, double norm) {
    const double most = fmax(a, b);
    return most > 0 ? most * pow(pow(a / most, norm) + pow(b / most, norm), 1 / norm) : 0;
}

#endif
