#include "compare/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpu_match.h"
#include "model/gpus.h"

const struct figure_kind figure_kinds[FIGURES] = {
    [FIGURE_LATENCY] = {"latency_ns", "ns", true},  [FIGURE_ONE_WAY] = {"one_way_gb_s", "GB/s", false},
    [FIGURE_UPDATES] = {"gop_s", "GOP/s", false},   [FIGURE_BANDWIDTH] = {"bandwidth_gb_s", "GB/s", false},
    [FIGURE_TIME] = {"time_ns_median", "ns", true},
};

const char *reason_name(enum reason reason) {
    static const char *const names[REASONS] = {
        [REASON_NONE] = "",
        [REASON_UNVERIFIED] = "unverified",
        [REASON_THROTTLED] = "throttled",
        [REASON_NOISY] = "noisy",
        [REASON_ABOVE_PEAK] = "above-peak",
        [REASON_WAITED] = "waited",
        [REASON_SAMPLES] = "samples",
        [REASON_CLOCK] = "clock",
        [REASON_FIGURE] = "figure",
        [REASON_SPREAD] = "spread",
        [REASON_RUNS] = "runs",
        [REASON_ORIGIN] = "origin",
    };
    return names[reason];
}

// The columns that say what was run. A row's sizes, which a probe may fit to the device, come last.
enum {
    PLACE_OP = 1,
    PLACE_WIDTH = 3,
    PLACE_STRIDE,
    PLACE_PAGE = 15
};
static const char *const run_columns[] = {
    "kernel",
    [PLACE_OP] = "op",
    "type",
    [PLACE_WIDTH] = "width_bytes",
    [PLACE_STRIDE] = "stride",
    "offset",
    "window_bytes",
    "pattern",
    "group",
    "block",
    "request_line",
    "tile",
    "vertices",
    "edges",
    "devices",
    [PLACE_PAGE] = "page_bytes",
    "fetch_bytes",
    "compute_unit",
    "address",
    "from",
    "to",
    "direction",
    "parameter",
    "elements",
    "footprint_bytes",
    "bytes_in_flight",
};

enum {
    RUN_COLUMNS = sizeof run_columns / sizeof *run_columns,
    SIZE_COLUMNS = 3, // the last ones
    PLACE_ELEMENTS = RUN_COLUMNS - 3,
    PLACE_FOOTPRINT,
    RUN_TEXT = 1024
};

// The other columns that are read.
enum place {
    PLACE_PROBE = RUN_COLUMNS,
    PLACE_VARIANT,
    PLACE_DEVICE,
    PLACE_VERDICT,
    PLACE_REQUIRED_END,
    PLACE_PART = PLACE_REQUIRED_END,
    PLACE_ARCH,
    PLACE_SOURCE,
    PLACE_BACKEND,
    PLACE_VERIFIED,
    PLACE_SAMPLES,
    PLACE_FASTEST,
    PLACE_LOWER_QUARTILE,
    PLACE_UPPER_QUARTILE,
    PLACE_NOISE,
    PLACE_CLOCK,
    PLACE_WAITED,
    PLACE_FIGURES,
    PLACES = PLACE_FIGURES + FIGURES
};

static const char *const other_columns[PLACE_FIGURES - RUN_COLUMNS] = {
    "probe",    "variant", "device",      "verdict",     "part",        "arch",      "source",    "backend",
    "verified", "samples", "time_ns_min", "time_ns_p25", "time_ns_p75", "noise_pct", "clock_mhz", "waited_pct",
};

static const double WAITED_MAX_PCT = 2;
static const double SAMPLES_LEAST = 3;

static const char *column_name(size_t place) {
    return place < RUN_COLUMNS     ? run_columns[place]
           : place < PLACE_FIGURES ? other_columns[place - RUN_COLUMNS]
                                   : figure_kinds[place - PLACE_FIGURES].column;
}

static size_t find_column(const struct csv_reader *header, const char *name) {
    size_t found = header->count;
    for (size_t i = 0; i < header->count; i++) {
        if (strcmp(csv_reader_field(header, i), name) == 0) {
            found = i;
        }
    }
    return found;
}

enum status result_layout_read(struct result_layout *layout, const struct csv_reader *header, bool *foreign,
                               struct error *error) {
    *layout = (struct result_layout){header->count, malloc(PLACES * sizeof *layout->places)};
    *foreign = false;
    if (!layout->places) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    for (size_t place = 0; place < PLACES; place++) {
        layout->places[place] = find_column(header, column_name(place));
        *foreign =
            *foreign || (place >= RUN_COLUMNS && place < PLACE_REQUIRED_END && layout->places[place] == header->count);
    }
    return *foreign ? error_set(
                          error, STATUS_USAGE,
                          "%s: it lacks bankshot's columns probe, variant, device and verdict: name a probe's CSV file",
                          header->path)
                    : STATUS_OK;
}

void result_layout_clear(struct result_layout *layout) {
    free(layout->places);
    *layout = (struct result_layout){0};
}

// A field; empty where the file has no such column.
static const char *field(const struct result_layout *layout, const struct csv_reader *row, size_t place) {
    const size_t column = layout->places[place];
    return column < layout->count ? csv_reader_field(row, column) : "";
}

// NaN if the field is empty.
static enum status read_number(const struct result_layout *layout, const struct csv_reader *row, size_t place,
                               double *number, struct error *error) {
    const char *text = field(layout, row, place);
    char *end;
    *number = *text ? strtod(text, &end) : NAN;
    if (!*text || (end != text && !*end && isfinite(*number) && *number >= 0)) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "%s:%llu: %s is '%.40s', not a number: run the probe again", row->path,
                     (unsigned long long)row->line, column_name(place), text);
}

// Whether the row is a point of a curve over footprints.
static bool is_curve(const char *probe, const char *variant) {
    static const char *const curves[] = {"latency", "bandwidth", "unit-bandwidth"}; // and those with a word behind
    bool found = false;
    for (size_t i = 0; i < sizeof curves / sizeof *curves && strcmp(probe, "levels") == 0; i++) {
        const size_t length = strlen(curves[i]);
        found =
            found || (strncmp(variant, curves[i], length) == 0 && (variant[length] == '\0' || variant[length] == '-'));
    }
    return found;
}

// Whether the row's value of this column follows from others: elements from a curve's footprint, other footprints from
// the elements.
static bool is_implied(const struct result_layout *layout, const struct csv_reader *row, size_t place) {
    const bool by_footprint = is_curve(field(layout, row, PLACE_PROBE), field(layout, row, PLACE_VARIANT));
    return (place == PLACE_ELEMENTS && by_footprint && *field(layout, row, PLACE_FOOTPRINT)) ||
           (place == PLACE_FOOTPRINT && !by_footprint && *field(layout, row, PLACE_ELEMENTS));
}

static size_t describe_run(char run[RUN_TEXT], size_t *sizes_at, const struct result_layout *layout,
                           const struct csv_reader *row) {
    size_t length = 0;
    run[0] = '\0';
    for (size_t place = 0; place < RUN_COLUMNS; place++) {
        const char *text = field(layout, row, place);
        if (place == RUN_COLUMNS - SIZE_COLUMNS) {
            *sizes_at = length;
        }
        if (*text && length < RUN_TEXT && !is_implied(layout, row, place)) {
            length += (size_t)snprintf(run + length, RUN_TEXT - length, "%s%s=%s", length ? " " : "",
                                       run_columns[place], text);
        }
    }
    return length;
}

static const char *keep(struct texts *texts, const char *text, const char *before) {
    return before && strcmp(before, text) == 0 ? before : texts_keep(texts, text, strlen(text));
}

// The model's name of the part. Files of a version without the column take it from the device's name.
static const char *identify(const struct result_layout *layout, const struct csv_reader *row) {
    const char *part = field(layout, row, PLACE_PART), *device = field(layout, row, PLACE_DEVICE);
    const struct gpu *gpu = *part ? NULL : gpu_match(device, field(layout, row, PLACE_ARCH), 0);
    return *part ? part : gpu ? gpu->name : device;
}

static const char *const source_names[SOURCES] = {"measured", "predicted", "published"};

static enum source read_source(const char *name) {
    enum source source = SOURCES - 1;
    while (source > 0 && strcmp(source_names[source], name) != 0) {
        source--;
    }
    return source;
}

// Widths, steps and blocks of a curve's points are the probe's choice for its device. The operation and the pages are
// not.
static enum status read_curve(struct result *result, const struct result_layout *layout, const struct csv_reader *row,
                              const struct result *before, struct texts *texts, struct error *error) {
    static const double LINE_MAX = 256; // bytes; longer steps leave most of the footprint out
    char curve[RUN_TEXT];
    double width = 0, stride = 0;
    enum status status = read_number(layout, row, PLACE_FOOTPRINT, &result->footprint, error);
    if (status == STATUS_OK) {
        status = read_number(layout, row, PLACE_WIDTH, &width, error);
    }
    if (status == STATUS_OK) {
        status = read_number(layout, row, PLACE_STRIDE, &stride, error);
    }
    result->curve = NULL;
    if (status != STATUS_OK || !(result->footprint > 0) || width * stride > LINE_MAX ||
        !is_curve(result->probe, result->variant)) {
        return status;
    }
    snprintf(curve, sizeof curve, "%s %s", field(layout, row, PLACE_OP), field(layout, row, PLACE_PAGE));
    result->curve = keep(texts, curve, before ? before->curve : NULL);
    return result->curve ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
}

static enum reason distrust(const struct result *result, const char *verdict, const char *verified, double waited_pct) {
    static const struct {
        const char *verdict;
        enum reason reason;
    } meanings[] = {{"unverified", REASON_UNVERIFIED},
                    {"throttled", REASON_THROTTLED},
                    {"above-peak", REASON_ABOVE_PEAK},
                    {"noisy", REASON_NOISY}};
    if (strcmp(verified, "no") == 0) {
        return REASON_UNVERIFIED;
    }
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (strstr(verdict, meanings[i].verdict) &&
            !(result->source == SOURCE_PREDICTED && meanings[i].reason == REASON_UNVERIFIED)) {
            return meanings[i].reason;
        }
    }
    if (waited_pct > WAITED_MAX_PCT) {
        return REASON_WAITED;
    }
    return result->source == SOURCE_MEASURED && !(result->samples >= SAMPLES_LEAST) ? REASON_SAMPLES : REASON_NONE;
}

void result_set_spread(struct result *result, double noise, double quartiles_apart) {
    static const double OUTLIERS = 1.5;    // in deviations of the quartiles: a larger ratio is not chance
    static const double EFFICIENCY = 0.37; // of the quartiles: their share of the deviation's degrees of freedom
    const double by_quartiles = quartiles_apart / 1.349;
    const bool has_outliers = noise > OUTLIERS * by_quartiles;
    result->error = 1.2533 * (has_outliers ? by_quartiles : noise) / sqrt(result->samples);
    result->freedom = (result->samples - 1) * (has_outliers ? EFFICIENCY : 1);
    if (result->source != SOURCE_MEASURED) {
        result->error = 0;
        result->freedom = INFINITY;
    }
}

static enum status read_figures(struct result *result, const struct result_layout *layout, const struct csv_reader *row,
                                struct error *error) {
    double shortest, lower, upper, noise_pct, waited_pct;
    double *const numbers[] = {&result->samples, &shortest,          &lower,     &upper,
                               &noise_pct,       &result->clock_mhz, &waited_pct};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == STATUS_OK; i++) {
        status = read_number(layout, row, PLACE_SAMPLES + i, numbers[i], error);
    }
    for (size_t i = 0; i < FIGURES && status == STATUS_OK; i++) {
        status = read_number(layout, row, PLACE_FIGURES + i, &result->figures[i], error);
        result->figures[i] = result->figures[i] > 0 ? result->figures[i] : NAN;
    }
    if (status == STATUS_OK) {
        result->fastest = result->figures[FIGURE_TIME] / shortest;
        result_set_spread(result, noise_pct / 100, (upper - lower) / result->figures[FIGURE_TIME]);
        result->reason =
            distrust(result, field(layout, row, PLACE_VERDICT), field(layout, row, PLACE_VERIFIED), waited_pct);
        if (result->reason == REASON_NONE && !(result->error >= 0)) {
            result->reason = REASON_SAMPLES;
        }
    }
    return status;
}

enum status result_read(struct result *result, const struct result_layout *layout, const struct csv_reader *row,
                        const struct result *before, struct texts *texts, struct error *error) {
    char run[RUN_TEXT];
    if (row->count != layout->count) {
        return error_set(error, STATUS_USAGE,
                         "%s:%llu: the row has %zu fields, and the header %zu: run the probe again", row->path,
                         (unsigned long long)row->line, row->count, layout->count);
    }
    const size_t length = describe_run(run, &result->sizes_at, layout, row);
    if (length >= RUN_TEXT) {
        return error_set(error, STATUS_USAGE, "%s:%llu: the row's texts are too long: run the probe again", row->path,
                         (unsigned long long)row->line);
    }
    result->probe = keep(texts, field(layout, row, PLACE_PROBE), before ? before->probe : NULL);
    result->variant = keep(texts, field(layout, row, PLACE_VARIANT), before ? before->variant : NULL);
    result->device = keep(texts, identify(layout, row), before ? before->device : NULL);
    result->run = texts_keep(texts, run, length);
    result->source = read_source(field(layout, row, PLACE_SOURCE));
    result->on_cpu = strcmp(field(layout, row, PLACE_BACKEND), "cpu") == 0;
    if (!result->probe || !result->variant || !result->device || !result->run) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    enum status status = read_curve(result, layout, row, before, texts, error);
    return status == STATUS_OK ? read_figures(result, layout, row, error) : status;
}

const char *result_source(const struct result *result) {
    return source_names[result->source];
}

bool result_has_figure(const struct result *result) {
    bool found = false;
    for (size_t i = 0; i < FIGURES; i++) {
        found = found || !isnan(result->figures[i]);
    }
    return found;
}
