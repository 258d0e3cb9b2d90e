// Selects the rows of a picture, by columns of their files and computed ones, and says it in words.
#ifndef TOOLS_REPORT_CHARTS_SELECT_H
#define TOOLS_REPORT_CHARTS_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/report/charts/chart.h"
#include "tools/report/table.h"
#include "util/text.h"

// ---- Selections ----

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

enum {
    SERIES_MAX = 8, // as many as plots/style.gp has colours
    ROW_KEY = 1024, // characters of what several rows have in common
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
    enum source origin; // of its values: where a chart shows counts, the model's, measured rows count as predicted
    bool is_carried;
    bool is_shown;                   // the chart is about it
    bool is_current;                 // of the device that is being looked at
    bool is_kept;                    // by the picture
    size_t part;                     // no part of a published row
    const char **values;             // by column; NULL where not yet asked for
    size_t line, point;              // numbers of what the rows of a line, and of a point, have in common
    size_t series;                   // of the picture, counted from 0
    double positions[POSITIONS_MAX]; // by the chart's "rows"
    bool after_gap;                  // the line from the point before does not reach it
    // Of an item that is picked, from item_describe:
    const char *warnings; // "noisy+throttled": its point is hollow
    enum bar_interval interval;
    double low, high; // its ends
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

// ---- Columns ----

// The columns of a row: those in its file and computed ones.
//
// An expression is a product of columns and numbers, evaluated from left to right (100*valu_active_threads/64). Of
// several expressions with bars between them the first one counts whose columns are all there (time_ns|1e6*time_ms).
// relative(NAME) is NAME in percent of the row that the chart's key "relative" names. number(NAME) is the number of the
// device that the column NAME holds, 1 of cuda:1. sure_level is the level where the rows of variant geometry are sure
// of it.

// Finds the rows and the columns that the chart may show.
void select_rows(struct selection *selection);
void forget_rows(struct selection *selection);

const char *column_name(const struct selection *selection, size_t column);

// The field of the row's file; "" if it is unknown.
const char *item_text(const struct item *item, const char *column);

// The same of a column of the chart, which may be computed.
const char *item_value(struct selection *selection, const struct item *item, size_t column);

// The name of a row's series.
const char *item_series(struct selection *selection, const struct item *item);

// Finds out what the picture shows of a picked item: its values, warnings and the ends of a measured value's bar, which
// are those of the 95 % interval of the median, or of all samples where the file has no interval.
void item_describe(struct selection *selection, struct item *item);

// Finds the rows that relative columns refer to, among those that are kept.
void find_references(struct selection *selection);

bool is_number_text(const char *text);

// ---- Words ----

// What is said about the picture, kept by the selection, as the next ones.
const char *settings_text(struct selection *selection);
const char *left_out_text(struct selection *selection);
const char *sources_text(const struct selection *selection, long series);
const char *series_title(struct selection *selection, const char *name);

// The text, and another one behind the separator; the other one alone if the text is empty.
const char *text_and(struct selection *selection, const char *text, const char *separator, const char *more);

// The name of the folder that a file is in, or the path if it names none.
const char *folder_name(struct selection *selection, const char *path);

// The text, or a kept one that is cut after a word to at most `longest` characters.
const char *cut_text(struct texts *texts, const char *text, size_t longest);

// ---- Rows of a picture ----

// Keeps the rows of one device: those of a file, and those lent to them by another.
void keep_device(struct selection *selection, size_t part, size_t file, const char *const *same);

// Keeps the rows of all devices that have rows with the settings that most devices have.
void keep_all_devices(struct selection *selection);

// Leaves a row out because of its value of the column: "repeated", "source" and "file" are reasons, too.
void drop(struct selection *selection, struct item *item, const char *column);
void forget_drops(struct selection *selection);

#endif
