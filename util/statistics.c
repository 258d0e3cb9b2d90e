#include "util/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Between the two samples that it falls between, as most statistics programs compute it.
static double quantile(const double *ascending_samples, size_t count, double share) {
    const double place = share * (double)(count - 1);
    const size_t below = (size_t)place;
    const size_t above = below + 1 < count ? below + 1 : below;
    const double between = place - (double)below;
    return ascending_samples[below] + between * (ascending_samples[above] - ascending_samples[below]);
}

static double median_of(const double *ascending_samples, size_t count) {
    return (ascending_samples[(count - 1) / 2] + ascending_samples[count / 2]) / 2;
}

double sort_to_median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_value);
    return median_of(values, count);
}

// ---- The median's interval ----

// The greatest rank k for which the median lies between the k-th shortest and the k-th longest sample with a
// probability of 95 %; 0 if there is none. The number of samples below the median is binomial, whatever the
// distribution.
static size_t interval_rank(size_t count) {
    static const double ONE_SIDE = 0.025;
    const double n = (double)count;
    double tail = 0;
    size_t rank = 0;
    for (;; rank++) {
        const double k = (double)rank;
        tail += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
        if (tail > ONE_SIDE || 2 * (rank + 1) > count) {
            return rank;
        }
    }
}

// Samples that follow each other closely tell less than independent ones, so their interval spans more ranks.
struct interval interval_of_median(const double *ascending_samples, size_t count, double effective) {
    const size_t rank = interval_rank(count);
    const double middle = (double)(count + 1) / 2;
    const double span = (middle - (double)rank) * sqrt((double)count / fmin(effective, (double)count));
    const double lowest = floor(middle - span + 1e-9); // a rank, from 1 on
    if (rank < 1 || !(lowest >= 1)) {
        return (struct interval){NAN, NAN};
    }
    return (struct interval){ascending_samples[(size_t)lowest - 1], ascending_samples[count - (size_t)lowest]};
}

double statistics_interval_pct(const struct statistics *s) {
    return 100 * (s->interval.high - s->interval.low) / 2 / s->median;
}

// ---- What the order of the samples tells ----

// Adds to *inversions how many pairs of the samples are in descending order, and sorts them.
static void count_inversions(double *samples, double *scratch, size_t count, double *inversions) {
    const size_t half = count / 2;
    if (count < 2) {
        return;
    }
    count_inversions(samples, scratch, half, inversions);
    count_inversions(samples + half, scratch, count - half, inversions);
    memcpy(scratch, samples, count * sizeof *samples);
    for (size_t i = 0, left = 0, right = half; i < count; i++) {
        if (right == count || (left < half && scratch[left] <= scratch[right])) {
            samples[i] = scratch[left++];
        } else {
            samples[i] = scratch[right++];
            *inversions += (double)(half - left);
        }
    }
}

// Kendall's test of a trend, in standard deviations: pairs in ascending order against pairs in descending order.
static double trend(const double *samples, size_t count) {
    const double n = (double)count;
    double *copy = memory_zeros(2 * count, sizeof *copy), descending = 0, rising = 0;
    memcpy(copy, samples, count * sizeof *copy);
    count_inversions(copy, copy + count, count, &descending);
    for (size_t i = 0; i < count; i++) {
        copy[i] = samples[count - 1 - i];
    }
    count_inversions(copy, copy + count, count, &rising);
    free(copy);
    return (rising - descending) / sqrt(n * (n - 1) * (2 * n + 5) / 18);
}

// Wald and Wolfowitz's test: how many standard deviations fewer times the samples cross their median than independent
// ones would.
static double missing_crossings(const double *samples, size_t count, double median) {
    double above = 0, below = 0, runs = 0;
    int side = 0;
    for (size_t i = 0; i < count; i++) {
        const int now = (samples[i] > median) - (samples[i] < median);
        above += now > 0;
        below += now < 0;
        runs += now != 0 && now != side;
        side = now ? now : side;
    }
    const double n = above + below, product = 2 * above * below;
    const double variance = product * (product - n) / (n * n * (n - 1));
    return variance > 0 ? (product / n + 1 - runs) / sqrt(variance) : 0;
}

static double side_correlation(const double *samples, size_t count, double median, size_t lag) {
    double sum = 0;
    for (size_t i = lag; i < count; i++) {
        sum += ((samples[i] > median) - (samples[i] < median)) *
               ((samples[i - lag] > median) - (samples[i - lag] < median));
    }
    return sum / (double)count;
}

// By the correlation of the side of the median that a sample is on, summed as long as two neighbouring lags together
// are positive (Geyer's initial positive sequence).
static double effective_samples(const double *samples, size_t count, double median) {
    static const double WORK = 1e7; // beyond so many products no further lag is looked at
    const double own = side_correlation(samples, count, median, 0);
    double sum = 0;
    for (size_t lag = 0; lag + 1 < count && (double)lag * (double)count < WORK; lag += 2) {
        const double pair = side_correlation(samples, count, median, lag) / own +
                            side_correlation(samples, count, median, lag + 1) / own;
        if (!(pair > 0)) {
            break;
        }
        sum += 2 * pair;
    }
    return (double)count / fmax(1, sum - 1);
}

static double change_of_halves(const double *samples, size_t count) {
    const size_t half = count / 2;
    double *copy = memory_zeros(count, sizeof *copy);
    memcpy(copy, samples, count * sizeof *copy);
    qsort(copy, half, sizeof *copy, by_value);
    qsort(copy + count - half, half, sizeof *copy, by_value);
    const double change = median_of(copy + count - half, half) / median_of(copy, half) - 1;
    free(copy);
    return change;
}

// Among series of independent samples, one in 100 seems correlated by chance, which makes its interval too wide, and
// one in 500 seems to drift.
static void judge_order(struct statistics *s, const double *samples, size_t count) {
    static const double CORRELATED = 2.33, DRIFTS = 3.29;
    s->effective = (double)count;
    if (count < INTERVAL_SAMPLES_MIN) {
        return;
    }
    const double missing = missing_crossings(samples, count, s->median);
    const bool drifts = fabs(trend(samples, count)) > DRIFTS;
    if (missing > CORRELATED || drifts) {
        s->effective = effective_samples(samples, count, s->median);
    }
    s->drift = missing > DRIFTS || drifts ? change_of_halves(samples, count) : 0;
}

// ---- Groups ----

// Splits the samples where the means of the two groups are farthest apart in terms of the spread within them (Ashman's
// D). A group has a fifth of the samples at least.
static double distance_of_modes(const double *ascending_samples, size_t count) {
    static const double FAR = 6; // one mode looks like two in 3 % of 12 samples and in 1 % of 20
    enum {
        FEWEST = 12,
        SHARE = 5
    };
    const double middle = ascending_samples[count / 2];
    double total = 0, total_squares = 0, sum = 0, squares = 0;
    if (count < FEWEST) {
        return NAN;
    }
    for (size_t i = 0; i < count; i++) {
        const double from = ascending_samples[i] - middle;
        total += from;
        total_squares += from * from;
    }
    for (size_t i = 0; i < count - count / SHARE; i++) {
        const double from = ascending_samples[i] - middle, left = (double)(i + 1), right = (double)(count - i - 1);
        sum += from;
        squares += from * from;
        const double left_mean = sum / left, right_mean = (total - sum) / right;
        const double left_spread = fmax(0, squares - sum * left_mean) / (left - 1);
        const double right_spread = fmax(0, total_squares - squares - (total - sum) * right_mean) / (right - 1);
        if (i + 1 >= count / SHARE && (right_mean - left_mean) > FAR * sqrt((left_spread + right_spread) / 2)) {
            return (right_mean - left_mean) / median_of(ascending_samples, count);
        }
    }
    return 0;
}

struct statistics statistics_unknown(void) {
    return (struct statistics){NAN, NAN, NAN, NAN, NAN, NAN, NAN, {NAN, NAN}, NAN, NAN, NAN};
}

struct statistics statistics_of(double *samples, size_t count) {
    struct statistics s = {0};
    double *copy = memory_zeros(count, sizeof *copy);
    memcpy(copy, samples, count * sizeof *copy);
    qsort(samples, count, sizeof *samples, by_value);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += samples[i];
    }
    s.mean = sum / (double)count;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        squares += (samples[i] - s.mean) * (samples[i] - s.mean);
    }
    const double deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
    s.noise = s.mean > 0 ? deviation / s.mean : 0;
    s.median = median_of(samples, count);
    s.lower_quartile = quantile(samples, count, 0.25);
    s.upper_quartile = quantile(samples, count, 0.75);
    s.min = samples[0];
    s.max = samples[count - 1];
    s.modes = distance_of_modes(samples, count);
    judge_order(&s, copy, count);
    s.interval = interval_of_median(samples, count, s.effective);
    free(copy);
    return s;
}
