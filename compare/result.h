// One row of a CSV file, as far as a comparison needs it.
#ifndef COMPARE_RESULT_H
#define COMPARE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/csv_read.h"
#include "util/texts.h"

// What is compared: the first of these that both rows have.
enum figure {
    FIGURE_LATENCY,
    FIGURE_ONE_WAY,
    FIGURE_UPDATES,
    FIGURE_BANDWIDTH,
    FIGURE_TIME,
    FIGURES
};

struct figure_kind {
    const char *column, *unit;
    bool less_is_faster;
};
extern const struct figure_kind figure_kinds[FIGURES];

// Reasons why a row, or a pair of rows, allows no verdict.
enum reason {
    REASON_NONE,
    REASON_UNVERIFIED, // the result was wrong, or not checked
    REASON_THROTTLED,
    REASON_NOISY,
    REASON_ABOVE_PEAK,
    REASON_WAITED,  // other programs used the processors
    REASON_SAMPLES, // too few to have a spread
    REASON_CLOCK,   // of two rows: the same device ran at another clock
    REASON_FIGURE,  // of two rows: no figure is in both
    REASON_SPREAD,  // of two rows: the samples do not decide
    REASON_RUNS,    // of two rows: single runs of a CPU do not decide
    REASON_ORIGIN,  // of two rows: they are of different origin, which may make up the difference
    REASONS
};
const char *reason_name(enum reason reason);

enum source {
    SOURCE_MEASURED,
    SOURCE_PREDICTED, // by the model: without samples and spread
    SOURCE_PUBLISHED, // by others (published.h): taken without spread, too
    SOURCES
};

struct result {
    const char *probe, *variant;
    const char *run;    // what was run, "op=copy width_bytes=4 stride=2 elements=65536", empty fields left out
    size_t sizes_at;    // in run: where the sizes begin that a probe fits to the device
    const char *device; // the part's name, the same for a simulation; else the device's name
    const char *gpu;    // of all rows of the file, "cuda:1"; NULL: the file has none or several, or does not say
    size_t occurrence;  // of rows of one file that ran the same as far as the columns tell: the first is 0
    enum source source;
    const char *curve;       // what else was run, if the row is a point of a curve over the footprint; NULL: it is none
    double footprint;        // in bytes; NaN: unknown
    bool on_cpu;             // measured on a CPU, whose runs differ more than their samples show
    enum reason reason;      // why its figures cannot be trusted
    double figures[FIGURES]; // NaN: the row has none
    double samples;
    double error;   // relative standard error of the median; 0 for a prediction
    double freedom; // its degrees of freedom; infinite for a prediction
    double fastest; // speed of the fastest sample over that of the median; NaN: unknown
    double clock_mhz;
};

// The positions of the columns in one file.
struct result_layout {
    size_t count; // of the header's columns
    size_t *places;
};

// Reads the header. STATUS_USAGE if it is not one of bankshot; *foreign says so, too.
enum status result_layout_read(struct result_layout *layout, const struct csv_reader *header, bool *foreign,
                               struct error *error);
void result_layout_clear(struct result_layout *layout);

// Reads a row, whose texts go into texts. `before` is the row before it, which may lend it its texts, or NULL.
enum status result_read(struct result *result, const struct result_layout *layout, const struct csv_reader *row,
                        const struct result *before, struct texts *texts, struct error *error);

// "measured", "predicted" or "published".
const char *result_source(const struct result *result);

// Sets error and freedom from the samples' deviation over their mean and the distance of their quartiles over the
// median, NaN if a file has none. The median of n normal samples has 1.2533 times the standard error of their mean. A
// few outliers raise the deviation and not the quartiles, which are 1.349 deviations apart, so then these count, with
// less freedom.
void result_set_spread(struct result *result, double noise, double quartiles_apart);

bool result_has_figure(const struct result *result);

#endif
