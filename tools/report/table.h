// The rows of the CSV files of probes.
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
    struct names columns; // the header
    bool *numbers;        // whether a column holds numbers
    const char **fields;  // those of each column for each row
    size_t row_count;
    struct texts texts;
};

// Reads a file of at most rows_max rows. STATUS_USAGE if it cannot be read, is torn or holds a number that is none.
// Sets *foreign if it is no file of bankshot.
enum status table_read(struct table *table, const char *path, size_t rows_max, bool *foreign, struct error *error);

// Reads others' figures from a stream, which it closes; their columns need not be bankshot's.
enum status table_read_published(struct table *table, FILE *file, const char *path, struct error *error);
void table_clear(struct table *table);

// The column's number by name, or columns.count if the file lacks it.
size_t table_column(const struct table *table, const char *name);

// A field by the column's number; empty if the file lacks the column.
const char *table_field(const struct table *table, size_t row, size_t column);

// The same by the column's name.
const char *table_text(const struct table *table, size_t row, const char *column);

// ---- The files that a page is made from ----

enum {
    ROWS_MAX = 50000 // of all files: a browser sorts and draws no more within a second
};

struct inputs {
    struct table *tables; // those with rows
    size_t count;
    size_t own; // of these the first are the reader's own; the others stand beside them
    size_t rows;
    size_t repeated; // files that were named twice, which count once
    struct texts paths;
};

// Reads files, and folders as compare does: FOLDER/*.csv and FOLDER/*/*.csv. A folder's foreign files are left out.
enum status inputs_read(struct inputs *inputs, const char *const *paths, size_t count, struct error *error);
void inputs_clear(struct inputs *inputs);

// The probe of a table's rows.
const char *table_probe(const struct table *table);

#endif
