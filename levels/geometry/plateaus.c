#include "levels/geometry/plateaus.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS_MIN = 8,
    BESIDE_MAX = 12, // points of a plateau compared on one side of a rise
    BESIDE_MIN = 2,
};
static const double STEEP = 0.25; // log latency over log footprint; what the TLB adds stays below 0.15
static const double STEEP_SOMEWHERE =
    0.45;                             // steepest slope that a rise needs; a gentler one is the tail of another rise
static const double REACH = 0.13;     // log footprint on each side over which the slope is measured
static const double RISE_MIN = 0.113; // log of 1.12
static const double NOISES = 5;       // height of a rise in multiples of the noise, at least
static const double OCTAVE = 0.7;     // log footprint of a plateau compared on one side of a rise
static const double EDGE = 0.05;      // share of the rise within which a point still belongs to a plateau
static const double SIZE_AT = 0.1;    // share of the rise at which a level's size is read
static const double SLACK = 0.02;     // log latency by which points of one plateau may differ
static const double SURE_PCT = 99.99; // upper bound of a confidence
static const double MAD_TO_SIGMA = 1.4826;

// The curve in logarithms, without single outliers.
struct log_curve {
    double *x, *y;
    size_t count;
    double noise; // standard deviation of y from point to point
};

struct rise {
    double steepest;
    size_t first, last; // ends of the steep part: the last point of one plateau, the first of the next
};

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const double *values, size_t count) {
    double sorted[3 * BESIDE_MAX];
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ascending);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

// From second differences, which vanish on a plateau and on an even slope; a rise has few points.
static double noise_of(const double *y, size_t count) {
    double *differences = malloc(count * sizeof *differences);
    if (!differences) {
        return INFINITY;
    }
    for (size_t i = 1; i + 1 < count; i++) {
        differences[i - 1] = fabs(y[i - 1] - 2 * y[i] + y[i + 1]);
    }
    qsort(differences, count - 2, sizeof *differences, ascending);
    const double noise = MAD_TO_SIGMA * differences[(count - 2) / 2] / sqrt(6);
    free(differences);
    return noise;
}

static bool make_log_curve(const struct curve_point *curve, size_t count, struct log_curve *logs) {
    double *raw = malloc(count * sizeof *raw);
    *logs = (struct log_curve){malloc(count * sizeof *raw), malloc(count * sizeof *raw), count, 0};
    if (!raw || !logs->x || !logs->y) {
        free(raw);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        logs->x[i] = log(curve[i].footprint);
        raw[i] = log(curve[i].latency);
    }
    logs->noise = noise_of(raw, count);
    for (size_t i = 0; i < count; i++) {
        logs->y[i] = i == 0 || i + 1 == count ? raw[i] : median_of(raw + i - 1, 3);
    }
    free(raw);
    return true;
}

// Around point i, from the nearest points that are at least REACH away on each side.
static double steepness(const struct log_curve *logs, size_t i) {
    size_t before = i, after = i;
    while (before > 0 && logs->x[i] - logs->x[before] < REACH) {
        before--;
    }
    while (after + 1 < logs->count && logs->x[after] - logs->x[i] < REACH) {
        after++;
    }
    return after > before ? (logs->y[after] - logs->y[before]) / (logs->x[after] - logs->x[before]) : 0;
}

// Number, median and scatter of the points from `from` on, in direction `step` (+1 or -1), within an octave and before
// `end`.
struct beside {
    size_t count;
    double median, scatter;
};

static struct beside beside(const struct log_curve *logs, size_t from, int step, size_t end) {
    double values[BESIDE_MAX];
    struct beside found = {0};
    size_t *count = &found.count;
    for (size_t i = from; *count < BESIDE_MAX && fabs(logs->x[i] - logs->x[from]) <= OCTAVE; i += (size_t)step) {
        values[(*count)++] = logs->y[i];
        if (i == end) {
            break;
        }
    }
    found.median = median_of(values, *count);
    for (size_t i = 0; i < *count; i++) {
        values[i] = fabs(values[i] - found.median);
    }
    found.scatter = MAD_TO_SIGMA * median_of(values, *count);
    return found;
}

// ---- Rises ----

// Finds the next stretch of steep points from *at on; one flat point within it does not end it.
static bool next_rise(const struct log_curve *logs, size_t *at, struct rise *rise) {
    size_t i = *at;
    while (i < logs->count && steepness(logs, i) < STEEP) {
        i++;
    }
    rise->first = i;
    rise->steepest = 0;
    while (i < logs->count && steepness(logs, i) >= STEEP) {
        rise->steepest = fmax(rise->steepest, steepness(logs, i));
        i++;
    }
    const bool found = rise->first < logs->count;
    rise->first -= rise->first > 0;
    rise->last = i < logs->count ? i : logs->count - 1;
    *at = i;
    return found;
}

// The steep part reaches into the plateaus, so its ends move inwards past the points that belong to them.
static void narrow(const struct log_curve *logs, struct rise *rise, double below, double above) {
    const double slack = fmax(fmax(EDGE * (above - below), SLACK), 2 * logs->noise);
    const double most = (above - below) / 3;
    const double edge = slack < most ? slack : most;
    while (rise->first < rise->last && logs->y[rise->first + 1] <= below + edge) {
        rise->first++;
    }
    while (rise->last > rise->first + 1 && logs->y[rise->last - 1] >= above - edge) {
        rise->last--;
    }
}

// The footprint at which the curve crosses y between the rise's ends.
static double crossing(const struct log_curve *logs, const struct rise *rise, double y) {
    size_t i = rise->first;
    while (i < rise->last && logs->y[i + 1] < y) {
        i++;
    }
    i -= i == rise->last;
    const double step = logs->y[i + 1] - logs->y[i];
    const double part = step > 0 ? (y - logs->y[i]) / step : 0;
    return exp(logs->x[i] + fmin(fmax(part, 0), 1) * (logs->x[i + 1] - logs->x[i]));
}

static double confidence(double noise, double height, size_t below, size_t above) {
    const double sigma = fmax(noise, 1e-3) * sqrt(1 / (double)below + 1 / (double)above);
    return fmin(100 * erf(height / sigma / sqrt(2)), SURE_PCT);
}

// Sets the plateau from point `start` up to the rise, and the next plateau's latency; narrows the rise. Returns false
// if it is no rise.
static bool judge(const struct log_curve *logs, struct rise *rise, size_t start, size_t end, struct plateau *plateau,
                  struct plateau *next) {
    rise->first = rise->first > start ? rise->first : start;
    rise->last = rise->last < end ? rise->last : end;
    if (rise->last <= rise->first) {
        return false;
    }
    const struct beside below = beside(logs, rise->first, -1, start);
    const struct beside above = beside(logs, rise->last, 1, end);
    const double height = above.median - below.median;
    const double noise = fmax(logs->noise, fmax(below.scatter, above.scatter));
    if (below.count < BESIDE_MIN || above.count < BESIDE_MIN || height < fmax(RISE_MIN, NOISES * noise)) {
        return false;
    }
    narrow(logs, rise, below.median, above.median);
    *plateau = (struct plateau){.latency = exp(below.median),
                                .size = crossing(logs, rise, below.median + SIZE_AT * height),
                                .low = exp(logs->x[rise->first]),
                                .high = exp(logs->x[rise->last]),
                                .confidence_pct = confidence(noise, height, below.count, above.count)};
    *next = (struct plateau){.latency = exp(above.median), .confidence_pct = plateau->confidence_pct};
    return true;
}

static size_t find(const struct log_curve *logs, struct plateau plateaus[PLATEAUS_MAX]) {
    struct rise rises[2 * PLATEAUS_MAX];
    size_t count = 0, at = 0, found = 0;
    while (count < sizeof rises / sizeof rises[0] && next_rise(logs, &at, &rises[count])) {
        count += rises[count].steepest >= STEEP_SOMEWHERE;
    }
    size_t start = 0;
    plateaus[0] =
        (struct plateau){.latency = exp(beside(logs, 0, 1, logs->count - 1).median), .confidence_pct = SURE_PCT};
    for (size_t i = 0; i < count && found + 1 < PLATEAUS_MAX; i++) {
        const size_t end = i + 1 < count ? rises[i + 1].first + 1 : logs->count - 1;
        struct plateau plateau, next;
        if (judge(logs, &rises[i], start, end, &plateau, &next)) {
            plateaus[found++] = plateau;
            plateaus[found] = next;
            start = rises[i].last;
        }
    }
    return found + 1;
}

size_t plateaus_find(const struct curve_point *curve, size_t count, struct plateau plateaus[PLATEAUS_MAX]) {
    struct log_curve logs = {0};
    size_t found = 0;
    if (count >= POINTS_MIN && make_log_curve(curve, count, &logs)) {
        found = find(&logs, plateaus);
    }
    free(logs.x);
    free(logs.y);
    return found;
}
