#include "tools/compare/result.h"

#include <math.h>

const char *reason_name(enum reason reason) {
    static const char *const names[REASONS] = {
        [REASON_NONE] = "",
        [REASON_UNVERIFIED] = "unverified",
        [REASON_THROTTLED] = "throttled",
        [REASON_NOISY] = "noisy",
        [REASON_ABOVE_PEAK] = "above-peak",
        [REASON_WAITED] = "waited",
        [REASON_CORRELATED] = "correlated",
        [REASON_DRIFT] = "drift",
        [REASON_MODES] = "modes",
        [REASON_SAMPLES] = "samples",
        [REASON_CLOCK] = "clock",
        [REASON_FIGURE] = "figure",
        [REASON_SPREAD] = "spread",
        [REASON_RUNS] = "runs",
        [REASON_ORIGIN] = "origin",
    };
    return names[reason];
}

const char *source_name(enum source source) {
    static const char *const names[SOURCES] = {"measured", "predicted", "published"};
    return names[source];
}

double result_median_variance(double variance, double samples) {
    return 1.2533 * 1.2533 * variance / samples;
}

static double known(double number) {
    return isnan(number) ? 0 : number;
}

// Sets variance and freedom. A few outliers raise the deviation and not the quartiles, which are 1.349 deviations
// apart, so then these count, with less freedom. Two groups of samples raise the quartiles more.
static void set_spread(struct result *result, double noise, double quartiles_apart) {
    static const double OUTLIERS = 1.5;    // in deviations of the quartiles: a larger ratio is not chance
    static const double GROUPS = 1.3;      // and the other way round
    static const double EFFICIENCY = 0.37; // of the quartiles: their share of the deviation's degrees of freedom
    const double by_quartiles = quartiles_apart / 1.349;
    const bool has_outliers = noise > OUTLIERS * by_quartiles, has_groups = by_quartiles > GROUPS * noise;
    const double deviation = has_outliers || has_groups ? by_quartiles : noise;
    result->variance = deviation * deviation;
    result->freedom = (result->samples - 1) * (has_outliers ? EFFICIENCY : 1);
    if (result->source != SOURCE_MEASURED) {
        result->variance = 0;
        result->freedom = INFINITY;
    }
}

void result_set_samples(struct result *result, const struct samples *s) {
    const double median = result->figures[FIGURE_TIME];
    result->samples = isnan(s->effective) ? s->taken : fmin(s->taken, s->effective);
    result->correlated = 2 * result->samples < s->taken;
    result->fastest = median / s->shortest;
    result->reach = known((s->high - s->low) / 2 / median);
    result->drift = known(fabs(s->drift_pct) / 100);
    result->modes = known(s->modes_pct / 100);
    set_spread(result, s->noise_pct / 100, (s->upper - s->lower) / median);
}
