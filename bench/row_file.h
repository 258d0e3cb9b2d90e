// Files of rows, and the row of the same work in one of them.
#ifndef BENCH_ROW_FILE_H
#define BENCH_ROW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/probe.h"
#include "util/error.h"
#include "util/file.h"

// ---- The rows of a file ----

// A file of rows that are written as soon as they are known. A row is in it completely or not at all, and the file
// keeps its old content until the first row. All rows together can be replaced by better ones.

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

// ---- The row of the same work ----

// The simulated twin of a measured device. Each measured point also runs on the twin, which supplies the model's
// figures.

// Leaves the twin closed, without a device, if the model does not know the device, or if there is no simulator.
void twin_open(struct bench_device *twin, const struct bench_device *measured, const struct probe *probe,
               const struct settings *settings);

// Prepares what the twin keeps from point to point of a variant; false if it cannot run the variant.
bool twin_begin(struct bench_device *twin, const struct run *measured, struct run *run);
void twin_end(struct run *run);

// Measures a point, runs it on the twin and writes the measured rows with the model's figures. What cannot be predicted
// stays empty. What was measured is written even if measuring ended early.
// `known` are the point's rows of an earlier round, if there was one, whose predictions hold again.
enum status twin_measure(struct run *run, struct run *twin, const struct point *point, const struct row *known,
                         size_t known_count, struct error *error);

#endif
