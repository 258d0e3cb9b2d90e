// The rows of one CSV file of a probe.
#ifndef TOOLS_REPORT_TABLE_H
#define TOOLS_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/error.h"
#include "util/text.h"

struct remark {
    const char *key, *value; // of a line "# key: value" above the header
};

struct table {
    const char *path;
    struct remark *remarks;
    size_t remark_count;
    const char **columns; // the header
    bool *numbers;        // whether a column holds numbers
    size_t column_count;
    const char **fields; // column_count for each row
    size_t row_count;
    struct texts texts;
};

// Reads a file of at most rows_max rows. STATUS_USAGE if it cannot be read, is torn or holds a number that is none.
// Sets *foreign if it is no file of bankshot.
enum status table_read(struct table *table, const char *path, size_t rows_max, bool *foreign, struct error *error);

// Reads others' figures from a stream, which it closes; their columns need not be bankshot's.
enum status table_read_published(struct table *table, FILE *file, const char *path, struct error *error);
void table_clear(struct table *table);

// The column's number by name, or column_count if the file lacks it.
size_t table_column(const struct table *table, const char *name);

// A field by the column's number; empty if the file lacks the column.
const char *table_field(const struct table *table, size_t row, size_t column);

// The same by the column's name.
const char *table_text(const struct table *table, size_t row, const char *column);

#endif
