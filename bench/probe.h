// The interface of a probe: its variants, the parameters they run over, and how to measure one point.
// A probe is one struct probe and a main that calls program_main.
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

#include <stdio.h>

#include "bench/bench_device.h"
#include "bench/measure.h"
#include "bench/row.h"
#include "bench/settings.h"
#include "util/options.h"

enum {
    PARAMETERS_MAX = 12
};

struct parameter {
    const char *name; // of the option and, with or without a unit at its end, of its column (bench/plan.h)
    char letter;      // the option's short form, the same in every probe; 0: it has none
    const char *help;
    double min, max;
    bool dimensions;        // values are sizes "32x8", x | y << 32, each part up to max
    const char *column;     // that says the value if it has another name; NULL: none
    const char *implied_by; // a column from which the value follows, too, as a width follows from a type; NULL: none
};

// One row per variant. --help, --list, `all` and the tests follow from it.
struct variant {
    const char *name;
    const char *summary;
    const char *defaults[PARAMETERS_MAX]; // the sweep of each parameter; NULL: the variant does not use it
    const void *detail;                   // struct of the probe
    const struct variant_kind *kind;
};

// ---- The columns of the table for people, as a probe names them ----

// The devices on which a column has values.
enum table_devices {
    ON_ALL,
    ON_GPUS,
    ON_MEASURED,
    ON_PREDICTED
};

struct table_column {
    enum row_column column;
    int width; // 0: the usual one
    enum table_devices devices;
};
#define COLUMN(name)                                                                                                   \
    { .column = COLUMN_##name }
#define COLUMN_WIDE(name, columns)                                                                                     \
    { .column = COLUMN_##name, .width = (columns) }
#define COLUMN_ON(which, name)                                                                                         \
    { .column = COLUMN_##name, .devices = (which) }
#define TABLE_END                                                                                                      \
    { .column = COLUMN_NONE }

// The columns of a table. 80 columns of text hold them, with a short verdict.
#define TABLE(name, ...) static const struct table_column name[] = {__VA_ARGS__, TABLE_END}

// ---- What a probe measures ----

struct run;
struct output;

struct point {
    const struct variant *variant;
    uint64_t values[PARAMETERS_MAX]; // of each parameter; 0 where the variant does not use it
};

// What a point takes at least, as far as the probe knows it beforehand.
struct point_cost {
    double make_bytes;   // allocated and filled
    double handle_bytes; // poisoned and checked, for each point
    double prepare_s;    // for each point, in addition to these bytes
    double round_s;      // of one round of the work
};

// What variants of one kind have in common: their table, and how their points are chosen and measured.
struct variant_kind {
    const struct table_column *table; // the columns of the table for people, up to TABLE_END
    // Refuses a point that does not fit (STATUS_USAGE), before anything is measured or written. NULL: all fit.
    enum status (*check)(const struct run *run, const struct point *point, struct error *error);
    // Leaves out a point of a default sweep that its other values make pointless. NULL: none.
    bool (*skip)(const struct run *run, const struct point *point);
    // For points that may be too long for the time that is left. NULL: none is.
    void (*cost)(const struct run *run, const struct point *point, struct point_cost *cost);
    // Measures one point and gives its rows to run_emit.
    enum status (*measure)(struct run *run, const struct point *point, struct error *error);
    // Releases what measure kept in the state, after the last point of a variant. NULL: nothing.
    void (*finish)(struct run *run);
};

// A figure that --quick prints of a row.
struct metric {
    enum row_column value, peak; // peak: COLUMN_NONE if there is no limit to compare with
    const char *unit;
    bool is_cost;     // less is better
    const char *hint; // printed where the peak is unknown; NULL: nothing
};

// Points that tell more than the others, so that a short run has them: of these variants, as --variant takes them, with
// these values. 0: any value; a variant without the parameter matches any.
struct telling {
    const char *variants;
    uint64_t values[PARAMETERS_MAX];
};

struct probe {
    const char *name;
    const char *summary;
    const char *description; // text of --help below the options
    const struct parameter *parameters;
    size_t parameter_count;
    const struct variant *variants;
    size_t variant_count;
    // The probe's struct for a run of the program. It starts as a copy of the defaults (NULL: zeroed) and holds the
    // values of the probe's options, at their rows' offsets, and whatever else outlives a point.
    size_t session_bytes;
    const void *session_defaults;
    const struct option_row *options; // of this probe, in addition to the common ones
    size_t option_count;
    const char *headline;         // variants of --quick, as --variant takes them; NULL: all
    const struct metric *metrics; // of which --quick prints the first that a row has, or its bandwidth
    size_t metric_count;
    uint64_t headline_values[PARAMETERS_MAX]; // of --quick; where a sweep lacks one, its last value counts
    const struct telling *telling;            // what a budget is spent on first, in this order; then the rest
    size_t telling_count;
    uint64_t simulated_blocks; // what --sim-blocks is when it is not given; 0: all
    size_t state_bytes;        // run->state, zeroed for each device and variant
    bool counts_warm;          // --counters counts what the caches still hold from earlier launches
    // Whether rows leave something in the session for later rows or for the end, so that one process must make them
    // all. NULL: no row does.
    bool (*keeps_rows)(const void *session);

    // Refuses a variant that the device cannot run (STATUS_NO_DEVICE). NULL: every device runs every variant.
    enum status (*supports)(const void *session, const struct device *device, const struct variant *variant,
                            struct error *error);
    // Whether the variant uses this one of the probe's options. NULL: each variant uses all.
    bool (*uses)(const struct variant *variant, const struct option_row *option);
    // Adds metadata about all devices together, and prepares the session for all runs. NULL: there is none.
    enum status (*describe)(void *session, const struct run *runs, size_t run_count, struct bench_device *devices,
                            size_t count, struct output *output, struct error *error);
    // Frees what the session holds, before the devices are closed. NULL: it holds nothing.
    void (*release)(void *session);
    // Prints a summary of the rows below the table for people. NULL: nothing.
    void (*conclude)(const void *session, FILE *file);
};

// Sets a list of a probe to the array of its name, and its length.
#define PROBE_LIST(list, count) .list = list, .count = sizeof list / sizeof *(list)

// One variant on one device.
struct run {
    const struct probe *probe;
    struct bench_device *bench_device;
    const struct settings *settings;
    void *session; // the probe's, see struct probe
    const struct variant *variant;
    struct sweep sweeps[PARAMETERS_MAX]; // of each parameter that the variant uses
    bool defaulted[PARAMETERS_MAX];      // the sweep is the variant's default, not the user's
    struct bench_device *devices;        // all open devices, including this one; set before points are measured
    size_t device_count;
    void *state;
    const struct point *point;  // that is measured; NULL: none yet
    const struct run *predicts; // the measured run that this simulated one predicts; NULL: none
    enum status (*emit)(struct run *run, const struct row *row, struct error *error);
    void *emit_context;
};

static inline struct device *run_device(const struct run *run) {
    return run->bench_device->device;
}

static inline const struct device_info *run_info(const struct run *run) {
    return &run->bench_device->device->info;
}

// A row with the columns that are known before anything runs: who, where, what.
struct row run_row(const struct run *run);

// The verdicts, a set of enum verdict, that follow from a row's figures and its footprint.
unsigned row_verdicts(const struct row *row, const struct device_info *info);

// Sets the time of something that happens once: one sample, which no interval surrounds, so the row is noisy.
void row_set_single_time(struct row *row, double time_ns);

// Fills the columns `verified` and `verdict`: these verdicts, and that of the check.
void row_judge(struct row *row, unsigned verdicts, enum verification verification);

// Fills the columns that follow from a measurement: times, useful bytes, bandwidth, share of the peak, verdict.
void row_finish(struct row *row, const struct run *run, const struct measurement *measurement, double useful_bytes);

// The work of one point, which is verified before it is timed.
struct trial {
    void *context;
    enum status (*poison)(void *context, struct error *error);  // overwrites what an earlier run left in the output
    enum status (*enqueue)(void *context, struct error *error); // one round, without waiting for it
    enum status (*check)(void *context, bool *right, struct error *error);
};

// Poisons the output, runs the work once and checks it; then measures. What a simulation runs once is checked
// afterwards.
enum status run_trial(const struct run *run, const struct trial *trial, struct measurement *measurement,
                      struct error *error);

// The same with a reference, which may be NULL, as measure_beside takes it.
enum status run_trial_beside(const struct run *run, const struct trial *trial, const struct work *reference,
                             struct measurement *measurement, struct error *error);

// Measures a point with the probe's function.
enum status run_measure(struct run *run, const struct point *point, struct error *error);

// Writes the row at once, with what no other column says in its column `parameters`. If its result is wrong, the run
// goes on and the program's exit status will be 1.
enum status run_emit(struct run *run, const struct row *row, struct error *error);

// An `emit` that keeps the row in a struct row_list, its context.
enum status run_keep_row(struct run *run, const struct row *row, struct error *error);

// The program: options, devices, rows, exit status.
int program_main(const struct probe *probe, int argc, char **argv);

#endif
