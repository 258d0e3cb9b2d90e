#include "util/statistics.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
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

struct statistics statistics_of(double *samples, size_t count) {
    qsort(samples, count, sizeof *samples, ascending);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += samples[i];
    }
    double mean = sum / (double)count;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        squares += (samples[i] - mean) * (samples[i] - mean);
    }
    double deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
    return (struct statistics){
        .median = (samples[(count - 1) / 2] + samples[count / 2]) / 2,
        .lower_quartile = quantile(samples, count, 0.25),
        .upper_quartile = quantile(samples, count, 0.75),
        .min = samples[0],
        .max = samples[count - 1],
        .mean = mean,
        .noise = mean > 0 ? deviation / mean : 0,
    };
}
