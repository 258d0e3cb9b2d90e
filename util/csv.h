// CSV after RFC 4180: the files of a results folder, read strictly and written.
#ifndef UTIL_CSV_H
#define UTIL_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"
#include "util/text.h"

// ---- Reading ----

// Reads CSV strictly, after RFC 4180: a quote opens a field or does not occur, and each record ends with its line.
// Deviations are refused with the line's number, because half a row would be a different row. A last line that is torn,
// as a run that is killed leaves it, is left out; csv_reader_close says so on standard error.

struct csv_reader {
    FILE *file;
    const char *path;
    uint64_t line;  // of the record, counted from 1
    uint64_t lines; // read so far
    char *text;     // of the record: its fields, each with a '\0'
    size_t length, room;
    size_t *starts; // of the fields, in text
    size_t count, starts_room;
    size_t columns;     // of the header; 0: none was read
    struct names names; // of these columns
    uint64_t torn;      // the last line, if it is; 0: it is not
};

// STATUS_USAGE if the file cannot be read. The path must stay where it is.
enum status csv_reader_open(struct csv_reader *reader, const char *path, struct error *error);

// The same of an open stream, which the reader closes.
void csv_reader_from(struct csv_reader *reader, FILE *file, const char *path);
void csv_reader_close(struct csv_reader *reader);

// Takes a line that begins with '#', without it.
typedef void csv_remark_taker(void *context, const char *remark);

// Reads the lines before the header, each of which `taker` gets unless it is NULL, and the header as a record. Rows of
// a later schema are refused, and a file without a header.
enum status csv_reader_header(struct csv_reader *reader, csv_remark_taker *taker, void *context, struct error *error);

// The number of the header's column of this name; SIZE_MAX if there is none.
size_t csv_reader_column(const struct csv_reader *reader, const char *name);

// Reads a record. *found is false at the end of the file. An empty line is a record of one empty field. Refuses one
// that has more fields than the header, if that was read, or fewer.
enum status csv_reader_next(struct csv_reader *reader, bool *found, struct error *error);

// Refuses the header, which is the record, if a name is there twice.
enum status csv_reader_check_header(const struct csv_reader *reader, struct error *error);

// Empty if the record has no such field.
const char *csv_reader_field(const struct csv_reader *reader, size_t field);

// The same by the column's name.
const char *csv_reader_text(const struct csv_reader *reader, const char *column);

// Reads the text of a field as a finite number, NaN if it is empty. Refuses other texts, and numbers below 0 unless
// they are allowed, with the name of the column.
enum status csv_reader_number(const struct csv_reader *reader, const char *text, const char *column, bool below_0,
                              double *number, struct error *error);

// ---- The files of a folder ----

// Reads one file. If it is none of bankshot's, sets *foreign and fails.
typedef enum status csv_file_reader(void *context, const char *path, bool *foreign, struct error *error);

// Reads a file, or of a folder FOLDER/*.csv and FOLDER/*/*.csv in the order of their names. Foreign files of a folder
// are left out and counted; a foreign file that is named itself is a fault.
enum status csv_files_read(const char *path, csv_file_reader *read, void *context, size_t *foreign_count,
                           struct error *error);

// ---- Writing ----

// A field without the comma or the line's end behind it. One with a comma, a quote or a line break is quoted.
void csv_write_field(FILE *file, const char *text);

#endif
