#include "compare/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double reach = 1.05; // the largest ratio of two footprints that join

static int compare_curves(const struct result *a, const struct result *b, bool across) {
    int order = strcmp(a->variant, b->variant);
    if (order == 0) {
        order = strcmp(a->curve, b->curve);
    }
    return order == 0 && !across ? strcmp(a->device, b->device) : order;
}

static int compare_points(const struct curve_point *a, const struct curve_point *b, bool across) {
    const int order = compare_curves(a->row, b->row, across);
    return order != 0 ? order : (a->row->footprint > b->row->footprint) - (a->row->footprint < b->row->footprint);
}

static int compare_points_across(const void *a, const void *b) {
    return compare_points(a, b, true);
}

static int compare_points_within(const void *a, const void *b) {
    return compare_points(a, b, false);
}

static double distance(const struct curve_point *a, const struct curve_point *b) {
    return fabs(log(a->row->footprint / b->row->footprint));
}

// The nearest of the sorted points on the point's own curve, or NULL.
static const struct curve_point *find_nearest(const struct curve_point *points, size_t count,
                                              const struct curve_point *point, bool across) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_points(&points[middle], point, across) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct curve_point *nearest = NULL;
    for (size_t i = low > 0 ? low - 1 : 0; i < count && i <= low; i++) {
        const bool same_curve = compare_curves(points[i].row, point->row, across) == 0;
        if (same_curve && (!nearest || distance(&points[i], point) < distance(nearest, point))) {
            nearest = &points[i];
        }
    }
    return nearest;
}

void curves_pair(struct curve_point *a, size_t a_count, struct curve_point *b, size_t b_count, bool across) {
    qsort(a, a_count, sizeof *a, across ? compare_points_across : compare_points_within);
    qsort(b, b_count, sizeof *b, across ? compare_points_across : compare_points_within);
    for (size_t i = 0; i < b_count; i++) {
        const struct curve_point *nearest = find_nearest(a, a_count, &b[i], across);
        const bool joins =
            nearest && distance(nearest, &b[i]) <= log(reach) && find_nearest(b, b_count, nearest, across) == &b[i];
        b[i].partner = joins ? nearest : NULL;
    }
}
