#include "levels/geometry.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static const double TOLERANCE = 0.15;
static const double SURE_PCT = 99.99;

enum finding geometry_compare_size(const struct plateau *plateau, double documented) {
    if (documented <= 0) {
        return FINDING_NOT_KNOWN;
    }
    const bool near = fabs(plateau->size / documented - 1) <= TOLERANCE;
    return near || (plateau->low <= documented && documented <= plateau->high) ? FINDING_AGREES : FINDING_DIFFERS;
}

size_t geometry_match(const struct caches *caches, const struct plateau *plateau, size_t index, size_t count) {
    for (size_t i = 0; i < caches->count; i++) {
        if (geometry_compare_size(plateau, (double)caches->levels[i].bytes) == FINDING_AGREES) {
            return i;
        }
    }
    return caches->count == count ? index : SIZE_MAX;
}

double geometry_granularity(const double *distances, const double *latencies, size_t count, double hit, double miss,
                            double *confidence_pct) {
    const double middle = (hit + miss) / 2;
    size_t first = 0;
    double least = INFINITY;
    while (first < count && latencies[first] < middle) {
        first++;
    }
    for (size_t i = 0; i < count; i++) {
        const double side = i < first ? middle - latencies[i] : latencies[i] - middle;
        least = fmin(least, side / (miss - middle));
    }
    *confidence_pct = fmin(fmax(100 * least, 0), SURE_PCT);
    return first < count ? distances[first] : 0;
}
