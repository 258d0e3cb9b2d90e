#include "levels/geometry/detect.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    LATER_POINTS = 3 // with more elements than a set has ways
};
static const double MISSING = 0.5; // share of the step from hit to miss that too many elements of one set must cost
static const double WAYS_SIGMA =
    0.15;                          // share of that step by which latencies scatter: some lines are nearer than others
static const double SHARED = 0.25; // share of the step from hit to miss from which on some accesses miss
static const double TOLERANCE = 0.15;
static const double SURE_PCT = 99.99;

enum finding geometry_compare_size(const struct plateau *plateau, double documented) {
    if (documented <= 0) {
        return FINDING_NOT_KNOWN;
    }
    const bool near = fabs(plateau->size / documented - 1) <= TOLERANCE;
    return near || (plateau->low <= documented && documented <= plateau->high) ? FINDING_AGREES : FINDING_DIFFERS;
}

enum finding geometry_compare_bandwidth(double bandwidth, double peak) {
    if (peak <= 0) {
        return FINDING_NOT_KNOWN;
    }
    return bandwidth <= peak && bandwidth >= (1 - TOLERANCE) * peak ? FINDING_AGREES : FINDING_DIFFERS;
}

enum finding geometry_compare_count(double found, double documented) {
    return documented <= 0 ? FINDING_NOT_KNOWN : found == documented ? FINDING_AGREES : FINDING_DIFFERS;
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

double geometry_unskipped(const double *distances, const double *latencies, size_t count, double hit, double miss,
                          double *confidence_pct) {
    const double middle = (hit + miss) / 2;
    size_t first = 0;
    while (first < count && latencies[first] < middle) {
        first++;
    }
    const double found =
        geometry_granularity(distances, latencies, first < count ? first + 1 : count, hit, miss, confidence_pct);
    for (size_t i = first + 1; i < count; i++) {
        *confidence_pct = latencies[i] > hit + SHARED * (miss - hit) ? *confidence_pct : 0;
    }
    return found;
}

// The step by which the latencies from point `first` on exceed all before, as far as it lies between hit and miss.
static double gap_at(const double *latencies, size_t count, size_t first, double hit, double miss) {
    double before = hit, after = miss;
    for (size_t i = 0; i < count; i++) {
        if (i < first) {
            before = fmax(before, latencies[i]);
        } else {
            after = fmin(after, latencies[i]);
        }
    }
    return after - before;
}

double geometry_ways(const double *elements, const double *latencies, size_t count, double hit, double miss,
                     double *confidence_pct) {
    size_t best = 0;
    double gap = 0, last = INFINITY;
    *confidence_pct = 0;
    for (size_t first = 1; first + LATER_POINTS <= count; first++) {
        const double found = gap_at(latencies, count, first, hit, miss);
        best = found > gap ? first : best;
        gap = fmax(gap, found);
    }
    for (size_t i = count - count / 4; i < count; i++) {
        last = fmin(last, latencies[i]);
    }
    if (best == 0 || last < hit + MISSING * (miss - hit) || elements[best] > elements[best - 1] + 1) {
        return 0;
    }
    *confidence_pct = fmin(100 * erf(gap / (miss - hit) / WAYS_SIGMA / sqrt(2)), SURE_PCT);
    return elements[best - 1];
}

bool geometry_is_shared(double alone, double together, double miss, double *confidence_pct) {
    const double share = (together - alone) / (miss - alone), distance = fabs(share - SHARED) / SHARED;
    *confidence_pct = miss > alone ? fmin(100 * distance, SURE_PCT) : 0;
    return share > SHARED;
}

// Units on one side of the limit: how many, and by how many standard deviations the nearest one is away from it.
struct side {
    size_t count;
    double sigmas;
};

static struct side side_of(const double *latencies, size_t count, double limit, bool below) {
    static const double LEAST_SIGMA = 0.01; // of the limit
    double sum = 0, squares = 0, nearest = INFINITY;
    struct side side = {0};
    for (size_t i = 0; i < count; i++) {
        if ((latencies[i] <= limit) == below) {
            side.count++;
            sum += latencies[i];
            squares += latencies[i] * latencies[i];
            nearest = fmin(nearest, fabs(latencies[i] - limit));
        }
    }
    const double mean = sum / fmax((double)side.count, 1);
    const double variance = squares / fmax((double)side.count, 1) - mean * mean;
    side.sigmas = nearest / fmax(sqrt(fmax(variance, 0)), LEAST_SIGMA * limit);
    return side;
}

uint32_t geometry_sharers(const double *latencies, size_t count, double hit, double miss, double *confidence_pct) {
    const double limit = hit + SHARED * (miss - hit);
    const struct side below = side_of(latencies, count, limit, true), above = side_of(latencies, count, limit, false);
    *confidence_pct = miss > hit ? fmin(100 * erf(fmin(below.sigmas, above.sigmas) / sqrt(2)), SURE_PCT) : 0;
    return (uint32_t)below.count;
}

double geometry_confidence(double noise, size_t samples) {
    static const double WITHIN = 0.05, LEAST = 1e-6;
    return fmin(100 * erf(WITHIN / fmax(noise, LEAST) * sqrt((double)samples) / sqrt(2)), SURE_PCT);
}
