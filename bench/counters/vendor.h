// A vendor's profiler: how it is found and called, what it prints, and how its counters fill a row; and what both
// vendors' readers share.
#ifndef BENCH_COUNTERS_VENDOR_H
#define BENCH_COUNTERS_VENDOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bench/counters/launches.h"
#include "bench/row.h"
#include "device/device.h"
#include "device/launch.h"
#include "util/csv.h"

enum {
    PROFILER_OPTIONS_MAX = 48
};

struct profiler_options {
    const char *option[PROFILER_OPTIONS_MAX];
    size_t count;
    char words[256]; // buffer for some of them
};

// A run under the profiler: its folder with its files, and what it counts.
struct profile {
    char folder[PATH_MAX / 2];
    bool kept;               // the user named the folder
    char log[PATH_MAX];      // output of the profiler and of the program
    char launches[PATH_MAX]; // of the program (launches.h)
    const char *metrics;     // the counted group, separated by commas
    bool warm;               // launches find the caches as the ones before left them
};

// The columns of a profiler's table, which has a line for each metric of each launch.
struct metric_columns {
    const char *first; // by which the header is found
    const char *launch, *kernel, *grid, *block, *metric, *value;
};

struct counter_vendor {
    enum backend_kind backend;
    const char *profiler;        // name of the program: "ncu"
    const char *variable;        // environment variable that names another program
    const char *const *folders;  // searched after the PATH; shell wildcards; NULL at the end
    const char *missing;         // advice if it is not found
    const char *denied;          // advice if it may not count
    const char *const *refusals; // words of its refusals; NULL at the end
    struct metric_columns columns;
    const char *metrics;       // all that may be counted, separated by commas: metric i is a launch's value i
    const char *const *groups; // of these; one run per group; NULL at the end
    const char *const *(*groups_of)(const char *arch); // the same, where an architecture decides; else NULL
    // The same for warm caches, which a profiler that launches a kernel again would change. NULL: the groups above.
    const char *const *warm_groups;
    bool counts_all;  // the profiler counts every launch, even those not needed
    bool prints_each; // it prints a line for each metric of a launch, even if that has no value
    bool logs_table;  // its table stands in its log, if it counted anything

    // Appends the profiler's options.
    void (*options)(const struct profile *profile, struct profiler_options *options);
    // Adds the printed counts of each launch, by counter_table_read.
    enum status (*read)(const struct profile *profile, struct launch_list *list, struct error *error);
    // Fills the row's counted columns.
    void (*fill)(const struct counted_launch *launch, struct row *row);
};

extern const struct counter_vendor nvidia_counters, amd_counters;

// ---- Rows ----

// Whether a row is about loads, stores or both, which may be counted separately. For shared memory `op` says so, which
// smem sets; for global memory the model's counts do.
bool row_counts_loads(const struct row *row);
bool row_counts_stores(const struct row *row);

// ---- Lines of a profiler's CSV ----

// A file of which a table is a part: its header line names the columns, and lines of the profiler's remarks stand
// between its rows.
struct csv_table {
    char *text; // the table alone
    struct csv_reader reader;
    bool torn; // a line has another number of fields than the header, or no end
};

// Returns false if there is no such file, or no line that begins with this column's name.
bool csv_open(struct csv_table *table, const char *path, const char *first_column);
void csv_close(struct csv_table *table);

// The next row's fields; false at the end, or if the table is torn.
bool csv_next(struct csv_table *table);

// The row's field of this column, until the next row; NULL if there is no such column.
const char *csv_field(const struct csv_table *table, const char *column);

// Reads a number with commas between thousands; false if it is not a number. "n/a" is NaN.
bool csv_number(const char *field, double *value);

// "(256, 1, 1)" or "256"; all 0 for NULL.
struct dimensions csv_dimensions(const char *field);

// Adds the launches of the table in this file, in the order of their numbers. STATUS_FAILED if it is incomplete; only a
// log may lack it.
enum status counter_table_read(const struct counter_vendor *vendor, const struct profile *profile, const char *path,
                               struct launch_list *list, struct error *error);

#endif
