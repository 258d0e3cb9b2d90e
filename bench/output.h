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

struct output {
    FILE *file;
    const char *path; // NULL: standard output
    bool csv;
    bool created;                       // the file was not there before
    size_t columns[OUTPUT_COLUMNS_MAX]; // of the table
    size_t column_count;
    struct output_widths widths;
};

// csv_path NULL: a table of these columns (names separated by blanks), its first columns so wide. "-": CSV on
// standard output. Opening leaves a file's content as it is until output_start.
enum status output_open(struct output *output, const char *csv_path, const char *table_columns,
                        struct output_widths widths, struct error *error);

// From here on the old content of the file is gone.
enum status output_start(struct output *output, struct error *error);

// A line "# key: value", CSV only.
enum status output_metadata(struct output *output, const char *key, const char *value, struct error *error);
enum status output_header(struct output *output, struct error *error);

// The row is on its way to the disk when this returns. On failure the rows before it are whole.
enum status output_row(struct output *output, const struct row *row, struct error *error);

// A run that never started leaves no new file behind.
enum status output_close(struct output *output, bool started, struct error *error);

#endif
