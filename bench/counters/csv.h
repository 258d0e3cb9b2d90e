// Lines of a profiler's CSV.
#ifndef BENCH_COUNTERS_CSV_H
#define BENCH_COUNTERS_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "device/launch.h"

enum {
    CSV_FIELDS_MAX = 64
};

// A file whose header line names the columns. Lines that do not belong to the table are skipped.
struct csv_table {
    FILE *file;
    char *header, *line; // texts that names and fields point into
    size_t header_size, line_size;
    char *names[CSV_FIELDS_MAX], *fields[CSV_FIELDS_MAX];
    size_t count; // of columns; 0: no header was found
    bool torn;    // a line has another number of fields than the header, or no end
};

// Returns false if there is no such file, or no line that begins with this column's name.
bool csv_open(struct csv_table *table, const char *path, const char *first_column);
void csv_close(struct csv_table *table);

// The next row's fields; false at the end, or if the table is torn.
bool csv_next(struct csv_table *table);

// The row's field of this column; NULL if there is no such column.
const char *csv_field(const struct csv_table *table, const char *column);

// Reads a number with commas between thousands; false if it is not a number. "n/a" is NaN.
bool csv_number(const char *field, double *value);

// "(256, 1, 1)" or "256"; all 0 for NULL.
struct dimensions csv_dimensions(const char *field);

#endif
