// The variants and devices that a command line selects.
#ifndef BENCH_SELECTION_H
#define BENCH_SELECTION_H

#include "bench/probe.h"

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

// variants: "A,B", "all" or NULL; devices: "cuda:0,sim:h200", "all" or NULL for the default.
enum status selection_make(struct selection *selection, const struct probe *probe, const char *variants,
                           const char *devices, struct error *error);
// Keeps only the variants in names, a list as --variant takes it; NULL keeps all.
void selection_keep(struct selection *selection, const char *names);
// Refuses a sweep that no chosen variant uses (STATUS_USAGE), because it would be silently ignored.
enum status selection_check_parameters(const struct selection *selection, const struct probe *probe,
                                       const struct sweep given[PARAMETERS_MAX], struct error *error);
void selection_clear(struct selection *selection);

// ---- The points of a sweep ----

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

// Whether the probe leaves the point out of its default sweep.
bool point_skipped(const struct run *run, const struct point *point);

// Refuses runs (at least one) that skip all their points, because the program would succeed and show nothing. A probe's
// choice may depend on the devices, so each run must have their list already.
enum status points_check_left(const struct run *runs, size_t count, struct error *error);

// ---- What a row says of its point ----

// The number of the column that says a parameter's or option's value: the named one, or else that of its own name, with
// or without a unit behind, as width_bytes is for --width. ROW_COLUMN_COUNT if there is none.
size_t parameter_column(const char *option, const char *column);

// Fills the column `parameters` with words NAME=VALUE: each parameter of the run's point that the row states in no
// other column, unless it has the only value of the variant's default; and each number or choice among the probe's
// options that is not the default and not in another column. So the rows of any sweep differ.
enum status parameters_describe(struct row *row, const struct run *run, struct error *error);

#endif
