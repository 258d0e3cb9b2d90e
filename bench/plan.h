// What a probe measures: the points of its sweeps, and their order in rounds.
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "bench/measure.h"
#include "bench/probe.h"

// ---- Selection ----

// The variants and devices that a command line selects.

enum {
    SELECTION_DEVICES_MAX = 64,
    SPEC_TEXT = 64
};

struct selection {
    const struct variant **variants;
    size_t variant_count;
    bool all_variants; // none was named: a variant that cannot run is left out, not refused
    char specs[SELECTION_DEVICES_MAX][SPEC_TEXT];
    size_t spec_count;
    bool default_devices; // none was named: a device that cannot run the probe is left out, not refused
};

// variants: "A,B", "all" or NULL; devices: "cuda:0,sim:h200", "all" or NULL for the default. What is named again counts
// once, except for simulated parts.
enum status selection_make(struct selection *selection, const struct probe *probe, const char *variants,
                           const char *devices, struct error *error);
// Keeps only the variants in names, a list as --variant takes it; NULL keeps all.
void selection_keep(struct selection *selection, const char *names);
void selection_clear(struct selection *selection);

// ---- The points of a sweep ----

// The points of one variant on one device: the cross product of its sweeps.

// Makes an option for each of the probe's parameters, to be freed. Their sweeps begin at this offset of the program's
// struct.
struct option_row *points_options(const struct probe *probe, size_t sweeps);

// Fills run->sweeps with the sweep given for each parameter or, without one, the variant's default.
enum status points_prepare(struct run *run, const struct sweep given[PARAMETERS_MAX], struct error *error);

size_t point_count(const struct run *run);

// The point of this number; the last parameter changes fastest.
struct point point_at(const struct run *run, size_t number);

// The index into each sweep of the point of this number.
void point_indices(const struct run *run, size_t number, size_t indices[PARAMETERS_MAX]);

// Whether the variant leaves the point out of its default sweep.
bool point_skipped(const struct run *run, const struct point *point);

// Refuses a point that does not fit (STATUS_USAGE).
enum status point_check(const struct run *run, const struct point *point, struct error *error);

// ---- What a row says of its point ----

// The number of the column that says a parameter's or option's value: the named one, or else that of its own name, with
// or without a unit behind, as width_bytes is for --width. ROW_COLUMN_COUNT if there is none.
size_t parameter_column(const char *option, const char *column);

// Fills the column `parameters` with words NAME=VALUE: each parameter of the run's point that the row states in no
// other column, unless it has the only value of the variant's default; and each number or choice among the probe's
// options that the variant uses, that is not the default and not in another column. So the rows of any sweep differ.
enum status parameters_describe(struct row *row, const struct run *run, struct error *error);

// Whether the command line set this one of the probe's options.
bool option_is_given(const struct run *run, const struct option_row *option);

// Refuses a sweep or an option of the probe that none of the runs (at least one) uses (STATUS_USAGE), because it would
// be silently ignored.
enum status options_check_used(const struct run *runs, size_t count, const struct sweep given[PARAMETERS_MAX],
                               struct error *error);

// ---- Plan ----

// A point of a run, as the plan keeps it from round to round.

enum item_state {
    ITEM_UNTRIED,
    ITEM_BEGUN, // for the first time
    ITEM_MEASURED,
    ITEM_LEFT_OUT // for lack of time
};

struct item {
    struct run *run;
    size_t number;   // of the point
    size_t telling;  // place among the probe's tellings: the first are measured first
    unsigned detail; // 0: an end of a sweep; more for values that only refine it
    bool asked;      // by the user, who gave no budget: it is never left out
    enum item_state state;
    size_t stage;            // of the first round, in which its turn comes
    bool settled;            // further samples are not needed, or would not help
    bool awaits_prediction;  // that another process makes for its rows
    bool is_predicted_ahead; // before it is measured, by another process, which made the rows `predicted`
    struct row_list predicted;
    unsigned rounds;         // in which it was measured
    double wide_pct;         // the widest interval of its rows
    double prepare_s;        // what the latest round took besides measuring
    double sampled_s;        // for how long that measured
    double sampled_before_s; // what its device had sampled when the current round began
    size_t had_samples;      // that it had then
    struct series_list kept; // its samples
    struct row *rows;
    size_t row_count;
    size_t shown; // rows that streams have
};

// Chooses which point is measured next, and for how long, so that the whole program stays within its budget. The first
// round takes every point once, those that tell most first and each within its share of the time; further rounds add
// samples to the points whose median is known least. Nothing is estimated but what a probe knows of its own points.

// A device's part of the first round.
struct turn {
    double used_s;
    double prepared_s; // of these, for anything but samples
    double least_made; // bytes of new memory that one of its points needed; 0: none did
    size_t measured;   // its points with a row
    size_t untried;    // its points
    size_t next;       // the first of them in the plan's order, or one before
    size_t stage;      // twice a place among the tellings, or one more for those points of it that wait
};

struct plan {
    struct settings *settings;
    struct bench_device *devices;
    size_t device_count;
    struct item *items; // in the order of rows: by device, by variant, by point
    size_t count;
    struct item **order; // as the first round takes them
    struct item **picks; // of the current round
    size_t pick_count, picked;
    bool in_rounds;     // points are measured again; otherwise once, for as long as the settings say
    struct turn *turns; // of each device
    double deadline_s;  // on clock_s
};

// started_s is when the program began. Gives each run the list of devices. The caller keeps the runs.
enum status plan_make(struct plan *plan, struct settings *settings, struct run *runs, size_t run_count,
                      struct bench_device *devices, size_t device_count, double started_s, struct error *error);
void plan_clear(struct plan *plan);

// The item to measure next, NULL when all is begun or time is over. Sets in the settings how long it is measured.
// Several items of simulated devices may be begun at once.
struct item *plan_next(struct plan *plan);

// Whether the item's device is simulated.
bool item_is_predicted(const struct item *item);

// Call this after the item's point was measured, which took so many seconds, and its rows are in it.
void plan_done(struct plan *plan, struct item *item, double passed_s);

// When the plan is over at the latest, on clock_s; infinite if points that the user asked for may take longer.
double plan_end_s(const struct plan *plan);

// How many points of the current round are left.
size_t plan_left(const struct plan *plan);

// Whether the item's rows are those that the user gets.
bool item_is_final(const struct item *item);

// How many points were left out.
size_t plan_left_out_count(const struct plan *plan);

#endif
