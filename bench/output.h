// Where rows go: files or standard output as CSV and as JSON, or a table for people; and before them what ran where,
// when and how.
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/bench_device.h"
#include "bench/probe.h"
#include "bench/row.h"
#include "bench/table.h"
#include "util/file.h"
#include "util/json_writer.h"

// ---- What ran ----

// Writes the program, the date, the host and the whole command line.
void metadata_write_program(struct output *output, const struct probe *probe, int argc, char **argv);

// A key about one device begins with its spec: "# sim:h200 device: NVIDIA H200".
void metadata_write_device(struct output *output, const struct bench_device *bench_device);

// ---- Files ----

// A file of rows that are written as soon as they are known. A row is in it completely or not at all, and the file
// keeps its old content until the first row. All rows together can be replaced by better ones.

struct row_file {
    FILE *file;       // NULL: it is not open
    const char *path; // NULL: standard output
    bool created;     // the file is new and still empty
    bool waits;       // a regular file has its old content until its first row
    char *head;       // what it gets before that row
    size_t head_length;
    struct file_draft *draft; // the file under another name, until row_file_replace; NULL: it has its name
    size_t ending;            // bytes at the end of the file that the next row replaces
};

// Rows as one JSON object: metadata, columns, rows (docs/rows.schema.json).

struct json_rows {
    struct row_file file;
    struct json_writer writer; // writes into the text of one call
};

// ---- All outputs ----

// Where --csv and --json send the rows; NULL: not wanted.
struct output_paths {
    const char *csv, *json;
};

// A line of metadata.
struct output_note {
    char *key, *value;
};

struct output {
    FILE *file;     // of the table
    bool has_table; // rows go into a table, because no file is wanted
    struct table table;
    struct table_style style;
    struct output_note *notes;
    size_t note_count;
    bool begun;            // what precedes the rows is written
    struct row_file csv;   // not open: not wanted
    struct json_rows json; // the same
    bool headed;           // a heading was written
    bool heading_due;      // before the next row
};

// Without paths rows go into a table, which needs an output_section. "-" is standard output. A file is locked until it
// is closed, and refused if another process has locked it. It keeps its old content until the first row.
enum status output_open(struct output *output, const struct output_paths *paths, struct error *error);

// Whether CSV or JSON goes to standard output.
bool output_is_standard(const struct output *output);

// The rows from here on are in this table. The next one gets a new heading unless the rows before had the same columns.
// CSV has the same columns throughout.
void output_section(struct output *output, const struct table *table);

// Adds a line "# key: value" to CSV, and a member of the object "metadata" to JSON; a table has none. They are written
// before the first row; what is added later appears when a file is rewritten.
void output_metadata(struct output *output, const char *key, const char *value);

// Writes what precedes the rows, unless it is written. An old file keeps its content until the first row.
enum status output_begin(struct output *output, struct error *error);

// When this returns, the system has the row. If it fails, the rows before it are still whole.
enum status output_row(struct output *output, const struct row *row, struct error *error);

// Files, in which rows can be replaced, and what cannot be taken back: standard output, the table, pipes.
enum output_sinks {
    OUTPUT_FILES = 1,
    OUTPUT_STREAMS = 2,
};

// The same in one kind of sinks alone. The table is a stream.
enum status output_row_to(struct output *output, enum output_sinks sinks, const struct row *row, struct error *error);
bool output_has_files(const struct output *output);

// Replaces the content of the files, at once, by the metadata and the rows that write_rows gives to output_row.
typedef enum status output_rows(void *context, struct output *output, struct error *error);
enum status output_rewrite(struct output *output, output_rows *write_rows, void *context, struct error *error);

// Makes a copy whose streams go on in another file, which may be in memory, and ends what is in it.
void output_copy_streams(const struct output *output, FILE *file, struct output *copy);
enum status output_end_copy(struct output *copy, struct error *error);

// If there was no row, an old file stays as it was and a new one is removed. `whole` says that the run ended well; then
// even a head without rows replaces the old file.
enum status output_close(struct output *output, bool whole, struct error *error);

#endif
