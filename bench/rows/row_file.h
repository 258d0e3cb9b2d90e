// A file of rows that are written as soon as they are known. A row is in it completely or not at all, and the file
// keeps its old content until the first row.
#ifndef BENCH_ROWS_ROW_FILE_H
#define BENCH_ROWS_ROW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"

struct row_file {
    FILE *file;       // NULL: it is not open
    const char *path; // NULL: standard output
    bool created;     // the file is new and still empty
    FILE *head;       // collects what precedes the first row of a regular file
    char *head_text;
    size_t head_length;
    size_t ending; // bytes at the end of the file that the next row replaces
};

// "-" is standard output. A file is locked until it is closed, and refused if another process has locked it
// (STATUS_USAGE).
enum status row_file_open(struct row_file *file, const char *path, struct error *error);

// Writes the text that precedes the first row.
enum status row_file_write_head(struct row_file *file, const char *text, size_t length, struct error *error);

// Writes a row; the first one replaces the old content by the head. When this returns, the system has the row. If it
// fails, the rows before it are still whole. The last `ending` bytes are what must follow the last row: the next row
// replaces them.
enum status row_file_write(struct row_file *file, const char *row, size_t length, size_t ending, struct error *error);

// Whether the file can be complete after each row.
bool row_file_is_regular(const struct row_file *file);

// If there was no row, an old file stays as it was and a new one is removed. `whole` says that the run ended well; then
// even a head without rows replaces the old file.
enum status row_file_close(struct row_file *file, bool whole, struct error *error);

#endif
