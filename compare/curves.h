// Joins the points of curves over footprints, of which two devices seldom have the same.
#ifndef COMPARE_CURVES_H
#define COMPARE_CURVES_H

#include "compare/result.h"

struct curve_point {
    const struct result *row; // with a curve
    size_t group;             // the caller's number for it
    const struct curve_point *partner;
};

// Sorts both sides' points, and sets the partner of each point of b to the point of a that is nearest, if it is on the
// same curve, within 5 %, and has no nearer point in b; otherwise to NULL. With `across` the device may differ.
void curves_pair(struct curve_point *a, size_t a_count, struct curve_point *b, size_t b_count, bool across);

#endif
