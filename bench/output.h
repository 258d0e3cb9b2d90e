// Where rows go: a CSV file, standard output as CSV, or a table for people.
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/row.h"

enum {
    OUTPUT_COLUMNS_MAX = 16
};

// Widths of a table's first columns: of the longest name in them.
struct output_widths {
    int device, variant;
};

struct table_column {
    size_t number; // in bench/columns.h
    int width;     // 0: as its heading is listed
};

struct output {
    FILE *file;
    const char *path; // NULL: standard output
    bool csv;
    bool created; // the file was not there before, and has nothing in it yet
    FILE *head;   // collects what precedes the first row of a regular file, which has its old content so long
    char *head_text;
    size_t head_length;
    struct table_column columns[OUTPUT_COLUMNS_MAX]; // of the table
    size_t column_count;
    struct output_widths widths;
    bool headed; // a heading was written
};

// csv_path NULL: a table of these columns, its first ones so wide: names separated by blanks, NAME:WIDTH where a table
// wants another width. "-": CSV on standard output. A file is locked until it is closed, and refused where another
// process has locked it; its old content stays until the first row.
enum status output_open(struct output *output, const char *csv_path, const char *table_columns,
                        struct output_widths widths, struct error *error);

// From here on the table has these columns: a new heading, unless they are those of the rows before. CSV has the same
// columns throughout.
enum status output_section(struct output *output, const char *table_columns, struct output_widths widths,
                           struct error *error);

// A line "# key: value", CSV only.
enum status output_metadata(struct output *output, const char *key, const char *value, struct error *error);
enum status output_header(struct output *output, struct error *error);

// The row is on its way to the disk when this returns. On failure the rows before it are whole.
enum status output_row(struct output *output, const struct row *row, struct error *error);

// A run without a row leaves an old file as it was and no new one; whole: it ended well, so that the head replaces the
// old file.
enum status output_close(struct output *output, bool whole, struct error *error);

#endif
