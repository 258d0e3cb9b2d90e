#include "tools/compare/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/run_words.h"
#include "util/error.h"

// ---- Rows ----

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
        [REASON_PREDICTION] = "prediction",
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

// ---- Groups ----

// Appends the text to a key, with a tab behind it. Returns where the key goes on.
static char *append(char *to, const char *text, size_t length) {
    memcpy(to, text, length);
    to[length] = '\t';
    return to + length + 1;
}

size_t row_number(struct names *numbers, const struct result *row, unsigned same, uint64_t unknown) {
    const bool by_run = same & SAME_RUN;
    char known[RUN_WORDS];
    const char *run = unknown ? known : row->run, *device = same & SAME_DEVICE ? row->device : "";
    const size_t sizes_at = unknown ? run_words_known(known, row->run, row->sizes_at, unknown) : row->sizes_at;
    const size_t run_length = !by_run ? 0 : same & SAME_SIZES ? strlen(run) : sizes_at;
    const size_t probe_length = strlen(row->probe), variant_length = strlen(row->variant);
    const size_t device_length = strlen(device), numbers_length = 48;
    const char source = (char)('0' + (same & SAME_SOURCE ? row->source : 0));
    char *key = memory_zeros(probe_length + variant_length + device_length + run_length + numbers_length + 6, 1);
    char *to = append(key, row->probe, probe_length);
    to = append(to, row->variant, variant_length);
    to = append(to, device, device_length);
    to = append(to, &source, 1);
    to = append(to, run, run_length);
    if (by_run && row->alike > 1) {
        snprintf(to, numbers_length, "%zu\t%zu", row->occurrence, row->alike);
    }
    const size_t number = names_number(numbers, key);
    free(key);
    return number;
}

void rows_number(struct result *rows, size_t count) {
    struct names names = {0};
    size_t *numbers = memory_zeros(count, sizeof *numbers), *counts = memory_zeros(count, sizeof *counts);
    for (size_t i = 0; i < count; i++) {
        rows[i].occurrence = 0; // rows that get a number have none of these
        rows[i].alike = 0;
        numbers[i] = row_number(&names, &rows[i], SAME_ALL, 0);
        rows[i].occurrence = counts[numbers[i]]++;
    }
    for (size_t i = 0; i < count; i++) {
        rows[i].alike = counts[numbers[i]];
    }
    names_clear(&names);
    free(numbers);
    free(counts);
}

// Counts the rows of each group, gives each group its range of the rows, and fills the ranges.
struct side side_make(const struct result *const *rows, size_t count, unsigned same) {
    struct side side = {.groups = memory_zeros(count, sizeof *side.groups),
                        .rows = memory_zeros(count, sizeof *side.rows),
                        .row_count = count};
    struct names names = {0};
    size_t *numbers = memory_zeros(count, sizeof *numbers), place = 0;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = row_number(&names, rows[i], same, 0);
        side.groups[numbers[i]].count++;
    }
    side.count = names.count;
    for (size_t i = 0; i < side.count; i++) {
        side.groups[i].rows = side.rows + place;
        place += side.groups[i].count;
        side.groups[i].count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct repeats *group = &side.groups[numbers[i]];
        group->rows[group->count++] = rows[i];
    }
    names_clear(&names);
    free(numbers);
    return side;
}

void side_clear(struct side *side) {
    free(side->groups);
    free(side->rows);
    *side = (struct side){0};
}
