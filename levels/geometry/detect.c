#include "levels/geometry/detect.h"
#include "util/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- The curve ----

enum {
    POINTS_MIN = 8,
    BESIDE_MAX = 12, // points of a plateau compared on one side of a rise
    BESIDE_MIN = 2,
};
static const double STEEP = 0.25; // log latency over log footprint; what the TLB adds stays below TLB_SLOPE
static const double STEEP_SOMEWHERE =
    0.45; // steepest slope that a rise needs; a gentler one is the tail of another rise
static const double TLB_SLOPE = 0.15;
static const double REACH = 0.13;     // log footprint on each side over which the slope is measured
static const double RISE_MIN = 0.113; // log of 1.12
static const double NOISES = 5;       // height of a rise in multiples of the noise, at least
static const double OCTAVE = 0.7;     // log footprint of a plateau compared on one side of a rise
static const double EDGE = 0.05;      // share of the rise within which a point still belongs to a plateau
static const double SIZE_AT = 0.1;    // share of the rise at which a level's size is read
static const double SLACK = 0.02;     // log latency by which points of one plateau may differ
static const double SURE_PCT = 99.99; // upper bound of a confidence
static const double MAD_TO_SIGMA = 1.4826;

static const double DISTURBED_MOST = 0.25; // share of the points above which the curve is noisy, not disturbed

// The curve in logarithms, without disturbed points and single outliers.
struct log_curve {
    double *x, *y, *spread;
    size_t count;
    double noise; // standard deviation of y from point to point
};

struct rise {
    double steepest;
    size_t first, last; // ends of the steep part: the last point of one plateau, the first of the next
};

// From second differences, which vanish on a plateau and on an even slope; a rise has few points.
static double noise_of(const double *y, size_t count) {
    double *differences = memory_zeros(count, sizeof *differences);
    for (size_t i = 1; i + 1 < count; i++) {
        differences[i - 1] = fabs(y[i - 1] - 2 * y[i] + y[i + 1]);
    }
    qsort(differences, count - 2, sizeof *differences, by_value);
    const double noise = MAD_TO_SIGMA * differences[(count - 2) / 2] / sqrt(6);
    free(differences);
    return noise;
}

// The median of three points; of an end the point itself.
static double filtered(const double *values, size_t count, size_t i) {
    const bool inside = i > 0 && i + 1 < count;
    double near[] = {values[i - inside], values[i], values[i + inside]};
    return sort_to_median(near, 3);
}

// Compares each point with the least of all later ones, each of which is the median of three.
static size_t find_disturbed(const double *y, size_t count, double noise, bool *disturbed) {
    const double most = fmax(RISE_MIN, NOISES * noise);
    double least = count > 0 ? y[count - 1] : 0;
    size_t found = 0;
    for (size_t i = count; i-- > 0;) {
        disturbed[i] = y[i] > least + most;
        found += disturbed[i];
        if (!disturbed[i]) {
            least = fmin(least, filtered(y, count, i));
        }
    }
    return found;
}

size_t plateaus_disturbed(const struct curve_point *curve, size_t count, bool *disturbed) {
    double *y = memory_zeros(count, sizeof *y);
    size_t found = 0;
    memset(disturbed, 0, count * sizeof *disturbed);
    for (size_t i = 0; i < count; i++) {
        y[i] = log(curve[i].latency);
    }
    if (count >= POINTS_MIN) {
        found = find_disturbed(y, count, noise_of(y, count), disturbed);
    }
    free(y);
    return found;
}

static struct log_curve make_log_curve(const struct curve_point *curve, size_t count) {
    double *raw = memory_zeros(count, sizeof *raw);
    bool *disturbed = memory_zeros(count, sizeof *disturbed);
    struct log_curve logs = {.x = memory_zeros(count, sizeof *logs.x),
                             .y = memory_zeros(count, sizeof *logs.y),
                             .spread = memory_zeros(count, sizeof *logs.spread)};
    const bool few = (double)plateaus_disturbed(curve, count, disturbed) <= DISTURBED_MOST * (double)count;
    for (size_t i = 0; i < count; i++) {
        if (few && disturbed[i]) {
            continue;
        }
        logs.x[logs.count] = log(curve[i].footprint);
        logs.spread[logs.count] = curve[i].spread;
        raw[logs.count++] = log(curve[i].latency);
    }
    logs.noise = noise_of(raw, logs.count);
    for (size_t i = 0; i < logs.count; i++) {
        logs.y[i] = filtered(raw, logs.count, i);
    }
    free(raw);
    free(disturbed);
    return logs;
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

// Number, median and scatter (their own spread at least) of the points from `from` on, in direction `step` (+1 or -1),
// within an octave and before `end`.
struct beside {
    size_t count;
    double median, scatter;
};

static struct beside beside(const struct log_curve *logs, size_t from, int step, size_t end) {
    double values[BESIDE_MAX], spreads[BESIDE_MAX];
    struct beside found = {0};
    size_t *count = &found.count;
    for (size_t i = from; *count < BESIDE_MAX && fabs(logs->x[i] - logs->x[from]) <= OCTAVE; i += (size_t)step) {
        spreads[*count] = logs->spread[i];
        values[(*count)++] = logs->y[i];
        if (i == end) {
            break;
        }
    }
    found.median = sort_to_median(values, *count);
    for (size_t i = 0; i < *count; i++) {
        values[i] = fabs(values[i] - found.median);
    }
    found.scatter = fmax(MAD_TO_SIGMA * sort_to_median(values, *count), sort_to_median(spreads, *count));
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

// The last level is memory only if the curve rises no more behind it than the TLB makes it.
static bool explains_the_rest(const struct log_curve *logs, const struct plateau *last, size_t start) {
    const double most = TLB_SLOPE * (logs->x[logs->count - 1] - logs->x[start]) + RISE_MIN;
    return beside(logs, logs->count - 1, -1, start).median - log(last->latency) <= most;
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
    if (!explains_the_rest(logs, &plateaus[found], start)) {
        plateaus[found].confidence_pct = 0;
    }
    return found + 1;
}

size_t plateaus_find(const struct curve_point *curve, size_t count, struct plateau plateaus[PLATEAUS_MAX]) {
    if (count < POINTS_MIN) {
        return 0;
    }
    struct log_curve logs = make_log_curve(curve, count);
    const size_t found = find(&logs, plateaus);
    free(logs.x);
    free(logs.y);
    free(logs.spread);
    return found;
}

// ---- Questions about one level ----

enum {
    LATER_POINTS = 3 // with more elements than a set has ways
};
static const double MISSING = 0.5; // share of the step from hit to miss that too many elements of one set must cost
static const double WAYS_SIGMA =
    0.15; // share of that step by which latencies scatter: some lines are nearer than others
static const double LEAST_GAP = 0.25; // share of that step by which one line too many must exceed all fewer lines
static const double SHARED = 0.25;    // share of the step from hit to miss from which on some accesses miss
static const double TOLERANCE = 0.15;
static const double SHORT = 1.5, GRADUAL = 2; // most and least of a level's interval over its beginning
static const double WITHIN = 0.05;            // error of a time that a confidence allows for
static const double SLOWER = 0.95;            // share of the next level's bandwidth that a level reaches at least

static bool lies_within(const struct plateau *plateau, double documented) {
    return plateau->low <= documented && documented <= plateau->high;
}

bool geometry_is_gradual(const struct plateau *plateau) {
    return plateau->high > GRADUAL * plateau->low;
}

enum finding geometry_compare_size(const struct plateau *plateau, double documented) {
    if (documented <= 0) {
        return FINDING_NOT_KNOWN;
    }
    const bool near = fabs(plateau->size / documented - 1) <= TOLERANCE;
    const bool is_short = plateau->high <= SHORT * plateau->low;
    return near || (is_short && lies_within(plateau, documented)) ? FINDING_AGREES : FINDING_DIFFERS;
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
        const double bytes = (double)caches->levels[i].bytes;
        if (lies_within(plateau, bytes) || geometry_compare_size(plateau, bytes) == FINDING_AGREES) {
            return i;
        }
    }
    return caches->count == count ? index : SIZE_MAX;
}

// The first latency from the middle of hit and miss on, or the number of latencies.
static size_t first_miss(const double *latencies, size_t count, double middle) {
    size_t first = 0;
    while (first < count && latencies[first] < middle) {
        first++;
    }
    return first;
}

double geometry_granularity(const double *distances, const double *latencies, size_t count, double hit, double miss,
                            double *confidence_pct) {
    const double middle = (hit + miss) / 2;
    const size_t first = first_miss(latencies, count, middle);
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double side = i < first ? middle - latencies[i] : latencies[i] - middle;
        least = fmin(least, side / (miss - middle));
    }
    *confidence_pct = fmin(fmax(100 * least, 0), SURE_PCT);
    return first < count ? distances[first] : 0;
}

double geometry_unskipped(const double *distances, const double *latencies, size_t count, double hit, double miss,
                          double *confidence_pct) {
    const size_t first = first_miss(latencies, count, (hit + miss) / 2);
    if (first == 0) { // no distance is known to hit
        *confidence_pct = 0;
        return 0;
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
    if (best == 0 || gap < LEAST_GAP * (miss - hit) || last < hit + MISSING * (miss - hit) ||
        elements[best] > elements[best - 1] + 1) {
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
    static const double LEAST = 1e-6;
    return fmin(100 * erf(WITHIN / fmax(noise, LEAST) * sqrt((double)samples) / sqrt(2)), SURE_PCT);
}

// Were an undisturbed sample as likely as a disturbed one, that all `near` of them are disturbed, and alike, would have
// the probability 2^-near; the shortest itself proves nothing.
double geometry_confidence_of_shortest(const struct statistics *time, size_t samples, double waited_pct) {
    const double most = (1 + WITHIN) * time->min;
    const double share = time->max <= most              ? 1
                         : time->upper_quartile <= most ? 0.75
                         : time->median <= most         ? 0.5
                         : time->lower_quartile <= most ? 0.25
                                                        : 0;
    const double near = fmax(1, floor(share * (double)samples));
    const double ran = isfinite(waited_pct) ? fmax(1 - waited_pct / 100, 0) : 1;
    return fmin(100 * (1 - exp2(1 - near)) * ran, SURE_PCT);
}

double geometry_clear_pct(double confidence_pct, double hit, double miss, double scatter) {
    const double half = (miss - hit) / 2;
    return half > 0 ? confidence_pct * fmax(1 - scatter / half, 0) : 0;
}

bool geometry_is_slower(double bandwidth, double next) {
    return bandwidth > 0 && bandwidth < SLOWER * next;
}
