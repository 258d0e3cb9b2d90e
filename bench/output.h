// Where rows go: files or standard output as CSV and as JSON, or a table for people.
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/row.h"
#include "bench/rows/json_rows.h"
#include "bench/rows/row_file.h"

enum {
    OUTPUT_COLUMNS_MAX = 16
};

// Widths of the columns device and variant: that of the longest name in them.
struct output_widths {
    int device, variant;
};

struct table_column {
    size_t number; // in bench/columns.h
    int width;     // 0: the usual one (output.c)
};

// Where --csv and --json send the rows; NULL: not wanted.
struct output_paths {
    const char *csv, *json;
};

struct output {
    FILE *file;                                      // of the table
    bool table;                                      // rows go into a table, because no file is wanted
    bool colour;                                     // of the table's verdicts
    int line_columns;                                // that a line of the table may have; 0: any number
    struct row_file csv;                             // not open: not wanted
    struct json_rows json;                           // the same
    struct table_column columns[OUTPUT_COLUMNS_MAX]; // of the table
    size_t column_count;
    struct output_widths widths;
    bool headed;      // a heading was written
    bool heading_due; // before the next row
};

// Without paths rows go into a table of these columns: names separated by blanks, NAME:WIDTH for another width than the
// usual one. "-" is standard output. A file is locked until it is closed, and refused if another process has locked it.
// It keeps its old content until the first row.
enum status output_open(struct output *output, const struct output_paths *paths, const char *table_columns,
                        struct output_widths widths, struct error *error);

// How a table is headed above this column of bench/columns.h.
const char *output_heading(size_t column);

// Whether CSV or JSON goes to standard output.
bool output_is_standard(const struct output *output);

// Gives the table these columns from here on. Its next row gets a new heading unless the rows before had the same
// columns. CSV has the same columns throughout.
enum status output_section(struct output *output, const char *table_columns, struct output_widths widths,
                           struct error *error);

// Writes a line "# key: value" into CSV, and a member of the object "metadata" into JSON; a table has none.
enum status output_metadata(struct output *output, const char *key, const char *value, struct error *error);
// Writes the names of the columns into CSV and JSON. The table's heading waits for a row.
enum status output_header(struct output *output, struct error *error);

// When this returns, the system has the row. If it fails, the rows before it are still whole.
enum status output_row(struct output *output, const struct row *row, struct error *error);

// If there was no row, an old file stays as it was and a new one is removed. `whole` says that the run ended well; then
// even a head without rows replaces the old file.
enum status output_close(struct output *output, bool whole, struct error *error);

#endif
