// Where rows go: a CSV file, standard output as CSV, or a table for people.
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/row.h"

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

struct output {
    FILE *file;
    const char *path; // NULL: standard output
    bool csv;
    bool created; // the file is new and still empty
    FILE *head;   // collects what precedes the first row of a regular file, which keeps its old content until then
    char *head_text;
    size_t head_length;
    struct table_column columns[OUTPUT_COLUMNS_MAX]; // of the table
    size_t column_count;
    struct output_widths widths;
    bool headed; // a heading was written
};

// Without a csv_path (NULL) rows go into a table of these columns: names separated by blanks, NAME:WIDTH for another
// width than the usual one. "-" is CSV on standard output. A file is locked until it is closed, and refused if another
// process has locked it. It keeps its old content until the first row.
enum status output_open(struct output *output, const char *csv_path, const char *table_columns,
                        struct output_widths widths, struct error *error);

// Gives the table these columns from here on, with a new heading unless the rows before had the same ones. CSV has the
// same columns throughout.
enum status output_section(struct output *output, const char *table_columns, struct output_widths widths,
                           struct error *error);

// Writes a line "# key: value" into CSV; a table has none.
enum status output_metadata(struct output *output, const char *key, const char *value, struct error *error);
enum status output_header(struct output *output, struct error *error);

// When this returns, the system has the row. If it fails, the rows before it are still whole.
enum status output_row(struct output *output, const struct row *row, struct error *error);

// If there was no row, an old file stays as it was and a new one is removed. `whole` says that the run ended well; then
// even a head without rows replaces the old file.
enum status output_close(struct output *output, bool whole, struct error *error);

#endif
