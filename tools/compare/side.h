// The rows of one side of a comparison.
#ifndef TOOLS_COMPARE_SIDE_H
#define TOOLS_COMPARE_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/keys.h"
#include "util/text.h"

// ---- Rows ----

// A row, as far as a comparison needs it.

// Reasons why a row, or a pair of rows, allows no verdict.
enum reason {
    REASON_NONE,
    REASON_UNVERIFIED, // the result was wrong, or not checked
    REASON_THROTTLED,
    REASON_ABOVE_PEAK,
    REASON_WAITED,     // other programs used the processors
    REASON_SAMPLES,    // too few to have a spread
    REASON_CORRELATED, // each sample resembles the one before, so they tell as little as too few
    REASON_NOISY,      // of two rows: the samples do not decide, and one row's verdict says why
    REASON_DRIFT,      // of two rows: the samples of one changed during its run by as much as the rows differ
    REASON_MODES,      // of two rows: the samples of one fall into two groups as far apart as the rows
    REASON_CLOCK,      // of two rows: the same device ran at another clock
    REASON_FIGURE,     // of two rows: no figure is in both
    REASON_SPREAD,     // of two rows: the samples do not decide
    REASON_RUNS,       // of two rows: single runs of a CPU do not decide
    REASON_ORIGIN,     // of two rows: they are of different origin, which may make up the difference
    REASON_PREDICTION, // of two predicted parts: the model's expected errors may make up the difference
    REASONS
};
const char *reason_name(enum reason reason);

enum source {
    SOURCE_MEASURED,
    SOURCE_PREDICTED, // by the model: without samples and spread
    SOURCE_PUBLISHED, // by others (results.h): taken without spread, too
    SOURCES
};

struct result {
    const char *probe, *variant;
    const char *run;    // what was run, "op=copy width_bytes=4 stride=2 elements=65536", empty fields left out
    uint64_t unknown;   // of the key columns (bench/keys.h), those that its file lacks: bit N is number N
    size_t sizes_at;    // in run: where the sizes begin that a probe fits to the device
    const char *device; // the part's name, the same for a simulation; else the device's name
    const char *gpu;    // of all rows of the file, "cuda:1"; NULL: the file has none or several, or does not say
    size_t occurrence;  // of rows of one file that ran the same as far as the columns tell: the first is 0
    size_t alike;       // how many such rows the file has
    enum source source;
    const char *curve;       // what else was run, if the row is a point of a curve over the footprint; NULL: it is none
    double footprint;        // in bytes; NaN: unknown
    bool on_cpu;             // measured on a CPU, whose runs differ more than their samples show
    enum reason reason;      // why its figures cannot be trusted
    double figures[FIGURES]; // NaN: the row has none
    double samples;          // as many independent ones as they tell as much as
    double variance;         // relative, of a sample; 0 for a prediction
    double freedom;          // its degrees of freedom; infinite for a prediction
    double reach;    // half of the median's 95 % interval, relative; 0: unknown, because the samples are too few
    double drift;    // from the first half of the samples to the second, relative, its amount; 0: none that is known
    double modes;    // the distance between two groups of samples
    bool noisy;      // by its verdict
    bool correlated; // its samples tell less than half as much as so many independent ones
    double fastest;  // speed of the fastest sample over that of the median; NaN: unknown
    double clock_mhz;
    double expected_error; // of a prediction, relative; NaN: unknown
};

// "measured", "predicted" or "published".
const char *source_name(enum source source);

// The relative variance of the median of so many samples of this variance: the median of normal samples has 1.2533
// times the standard error of their mean.
double result_median_variance(double variance, double samples);

// What a row says of its samples; NaN: its file does not say it.
struct samples {
    double taken, shortest, lower, upper; // number, and times in ns: the shortest, the quartiles
    double noise_pct, waited_pct, effective, low, high, modes_pct, drift_pct;
};

// Sets what follows from the samples, whose median is the row's time. Rows of versions that do not look at the samples'
// order count all of them.
void result_set_samples(struct result *result, const struct samples *samples);

// ---- Sides ----

// The rows of one side of a comparison: numbers for what they ran, and groups of them.

// What equal rows must agree on, besides the probe and the variant.
enum {
    SAME_DEVICE = 1,
    SAME_SOURCE = 2,
    SAME_RUN = 4, // without sizes
    SAME_SIZES = 8,
    SAME_KIND = SAME_DEVICE | SAME_SOURCE,
    SAME_ALL = SAME_KIND | SAME_RUN | SAME_SIZES
};

// The number of the row among rows that are equal in `same`, apart from unknown key columns (bit N is number N): equal
// rows have one number.
size_t row_number(struct names *numbers, const struct result *row, unsigned same, uint64_t unknown);

// ---- Groups ----

// Numbers the occurrences of rows of one file that ran the same as far as the columns tell.
void rows_number(struct result *rows, size_t count);

// Rows of one group, such as several runs' of the same.
struct repeats {
    const struct result **rows;
    size_t count;
};

struct side {
    struct repeats *groups; // in the order of their first rows
    size_t count;
    const struct result **rows; // all rows, group by group
    size_t row_count;
};

// Groups rows that are equal in `same`. They may come in any order, and must stay where they are.
struct side side_make(const struct result *const *rows, size_t count, unsigned same);
void side_clear(struct side *side);

#endif
