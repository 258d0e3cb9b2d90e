// A file of rows that are written as soon as they are known. A row is in it completely or not at all, and the file
// keeps its old content until the first row. All rows together can be replaced by better ones.
#ifndef BENCH_ROWS_ROW_FILE_H
#define BENCH_ROWS_ROW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"
#include "util/file.h"

struct row_file {
    FILE *file;       // NULL: it is not open
    const char *path; // NULL: standard output
    bool created;     // the file is new and still empty
    FILE *head;       // collects what precedes the first row of a regular file
    char *head_text;
    size_t head_length;
    struct file_draft *draft; // the file under another name, until row_file_replace; NULL: it has its name
    size_t ending;            // bytes at the end of the file that the next row replaces
};

// "-" is standard output. A file is locked until it is closed, and refused if another process has locked it
// (STATUS_USAGE).
enum status row_file_open(struct row_file *file, const char *path, struct error *error);

// Writes the text that precedes the first row.
enum status row_file_write_head(struct row_file *file, const char *text, size_t length, struct error *error);

// Writes to a new file what it holds without a row: the head, and this text, so that it is whole even if the process is
// killed before its first row. An old file stays as it is.
enum status row_file_write_empty(struct row_file *file, const char *ending, size_t length, struct error *error);

// Writes a row; the first one replaces the old content by the head. When this returns, the system has the row. If it
// fails, the rows before it are still whole. The last `ending` bytes are what must follow the last row: the next row
// replaces them.
enum status row_file_write(struct row_file *file, const char *row, size_t length, size_t ending, struct error *error);

// Begins the new content of a regular file, which is written like another file and takes the old one's place at once in
// row_file_replace. Where no file can be created beside it, the old content is removed.
enum status row_file_begin_again(struct row_file *again, const struct row_file *file, struct error *error);
enum status row_file_replace(struct row_file *file, struct row_file *again, struct error *error);

// Gives up the new content.
void row_file_give_up(struct row_file *again);

// Whether the file can be complete after each row.
bool row_file_is_regular(const struct row_file *file);

// If there was no row, an old file stays as it was and a new one is removed. `whole` says that the run ended well; then
// even a head without rows replaces the old file.
enum status row_file_close(struct row_file *file, bool whole, struct error *error);

#endif
