// What the parts of this folder share: a picture, and the rows that it may show while it is selected.
#ifndef TOOLS_REPORT_CHARTS_SELECTION_H
#define TOOLS_REPORT_CHARTS_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/report/charts/chart.h"
#include "tools/report/table.h"
#include "util/text.h"

// ---- Pictures ----

// A chart of one device, or of several beside each other: what it shows, before it is drawn.

enum {
    SERIES_MAX = 8 // as many as plots/style.gp has colours
};

enum source {
    MEASURED,
    PREDICTED,
    PUBLISHED,
    SOURCES
};

// What a bar through a point shows.
enum bar_interval {
    NO_INTERVAL,
    OF_THE_MEDIAN,  // the 95 % interval
    OF_ALL_SAMPLES, // from the slowest to the fastest
};

struct picture_series {
    const char *name; // of a device its machine_name()
    const char *title;
    const char *sources; // "measured", "measured and predicted" ...
    double peak;         // GB/s; 0: unknown
};

// A row of the picture. Texts are "" where they are unknown.
struct mark {
    size_t series; // counted from 0
    enum source source;
    size_t file, row;        // counted from 0; of a published row no file
    const char *warnings;    // "noisy+throttled": its point is hollow
    const double *positions; // by the chart's "rows"
    const char **values;     // by the chart's "rows" but for the last, then by its "values"
    enum bar_interval interval;
    double low, high; // its ends
    bool after_gap;   // the line from the mark before does not reach it
};

struct picture {
    const struct chart *chart;
    bool is_comparison;
    const char *machine; // machine_name() of the device; "" of a comparison
    size_t file;         // whose device it shows, counted from 0
    const char *suffix;  // tells several devices of one file apart; "" where there is one
    const char *subtitle, *settings, *left_out;
    bool of_cpu; // it shows nothing else
    struct picture_series series[SERIES_MAX];
    size_t series_count;
    struct mark *marks; // by series, then by position
    size_t mark_count;
    const char **names; // of the positions 1, 2 ..., where x is no number; then those of yardsticks
    size_t name_count, bars;
};

// ---- Selections ----

enum {
    POSITIONS_MAX = 4, // of a chart's "rows"
    ROW_KEY = 1024,    // characters of what several rows have in common
    NOWHERE = -1
};

// A device, measured or simulated, under one name.
struct machine {
    const char *id, *title, *arch;
    int rank;     // NVIDIA, AMD, CPU
    size_t found; // its number in the order of the files
};

// A row of a table, or the prediction that a measured row carries.
struct item {
    const struct table *table;
    size_t file, row; // the table's number and the row's in it
    enum source source;
    bool is_carried;
    bool is_shown;       // the chart is about it
    bool is_current;     // of the device that is being looked at
    bool is_kept;        // by the picture
    size_t part;         // no part of a published row
    const char **values; // by column; NULL where not yet asked for
    size_t line, point;  // numbers of what the rows of a line, and of a point, have in common
    size_t series;       // of the picture, counted from 0
    double positions[POSITIONS_MAX];
    bool after_gap;
};

// Columns that every chart needs, by their numbers.
enum {
    COLUMN_VARIANT,
    COLUMN_BACKEND,
    COLUMN_SOURCE,
    COLUMN_KERNEL,
    COLUMN_VERDICT,
    COLUMN_VERIFIED,
    COLUMN_PEAK,
    COLUMN_USEFUL_BYTES,
    COLUMN_OPS,
    COLUMN_PREDICTED,
    COLUMN_BANDWIDTH,
    COLUMN_RATE,
    COLUMN_TIME,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_SHORTEST,
    COLUMN_LONGEST,
    FIXED_COLUMNS
};

struct column;

// A reason for which rows are left out.
struct drop {
    const char *column;
    struct names values;
    size_t count, predicted;
};

struct selection {
    const struct chart *chart;
    const struct table *const *tables; // of the probe, and then the published one
    size_t table_count;                // without the published one
    size_t own_table_count;            // the others are only beside them
    const struct table *published;
    struct machine *parts; // in the order of comparisons
    size_t part_count;
    size_t **parts_of; // by table and row

    struct item *items;
    const char **item_values; // of all items, one after another
    size_t item_count;
    struct column *columns;
    size_t column_count;
    size_t y, x, series;              // columns: the first value, the last of the rows, the chart's series
    size_t *values, *rows, *settings; // columns
    size_t setting_count;
    struct names lines, points;
    struct names sure_levels; // "FILE PART LEVEL"
    struct texts texts;

    // For the whole picture:
    struct drop *drops;
    size_t drop_count;
    bool has_own[2]; // measured, predicted
    const char **held_key;
    bool x_is_name;
    struct names x_names; // where x is a name
    size_t *x_positions;  // of each, counted from 1; 0 if it has none
    size_t bars;          // positions without those of yardsticks
    const char *series_names[SERIES_MAX];
    size_t series_count, series_found;
    struct item **picked; // in order
    size_t picked_count;
    size_t own_count; // of the picked rows that are neither published nor a yardstick
};

// Where the items end.
static inline struct item *items_end(const struct selection *selection) {
    return selection->items ? selection->items + selection->item_count : NULL;
}

#endif
