#include "bench/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv.h"
#include "util/terminal.h"

enum status output_open(struct output *output, const struct output_paths *paths, struct error *error) {
    *output = (struct output){.file = stdout,
                              .has_table = !paths->csv && !paths->json,
                              .style = {terminal_has_colour(stdout), terminal_columns(stdout)},
                              .heading_due = true};
    enum status status = STATUS_OK;
    if (paths->csv) {
        status = row_file_open(&output->csv, paths->csv, error);
    }
    if (status == STATUS_OK && paths->json) {
        status = json_rows_open(&output->json, paths->json, error);
    }
    if (status != STATUS_OK) {
        output_close(output, false, NULL);
    }
    return status;
}

bool output_is_standard(const struct output *output) {
    return output->csv.file == stdout || output->json.file.file == stdout;
}

struct line {
    char *text;
    size_t length;
    FILE *stream;
};

static enum status line_begin(struct line *line, struct error *error) {
    line->stream = open_memstream(&line->text, &line->length);
    return line->stream ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
}

typedef enum status write_line(struct output *output, const char *text, size_t length, struct error *error);

static enum status line_end(struct line *line, struct output *output, write_line *write, struct error *error) {
    fclose(line->stream);
    enum status status = write(output, line->text, line->length, error);
    free(line->text);
    return status;
}

static enum status write_csv_head(struct output *output, const char *text, size_t length, struct error *error) {
    return row_file_write_head(&output->csv, text, length, error);
}

static enum status write_csv_row(struct output *output, const char *text, size_t length, struct error *error) {
    return row_file_write(&output->csv, text, length, 0, error);
}

static enum status write_table_line(struct output *output, const char *text, size_t length, struct error *error) {
    struct row_file terminal = {.file = output->file};
    return row_file_write_head(&terminal, text, length, error);
}

static enum status write_csv_metadata(struct output *output, const char *key, const char *value, struct error *error) {
    struct line line;
    TRY(line_begin(&line, error));
    fprintf(line.stream, "# %s: ", key);
    for (const char *at = value; *at; at++) {
        fputc((unsigned char)*at < ' ' ? ' ' : *at, line.stream);
    }
    fputc('\n', line.stream);
    return line_end(&line, output, write_csv_head, error);
}

enum status output_metadata(struct output *output, const char *key, const char *value, struct error *error) {
    if (!*value || output->has_table) {
        return STATUS_OK;
    }
    struct output_note *grown = realloc(output->notes, (output->note_count + 1) * sizeof *grown);
    output->notes = grown ? grown : output->notes;
    const struct output_note note = {strdup(key), strdup(value)};
    if (!grown || !note.key || !note.value) { // rows that are there are still written, under whole notes
        free(note.key);
        free(note.value);
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    grown[output->note_count++] = note;
    return STATUS_OK;
}

static enum status write_note(struct output *output, const struct output_note *note, struct error *error) {
    if (output->csv.file) {
        TRY(write_csv_metadata(output, note->key, note->value, error));
    }
    if (output->json.file.file) {
        TRY(json_rows_metadata(&output->json, note->key, note->value, error));
    }
    return STATUS_OK;
}

static enum status write_csv_header(struct output *output, struct error *error) {
    struct line line;
    TRY(line_begin(&line, error));
    for (size_t i = 0; i < row_column_count(); i++) {
        fprintf(line.stream, "%s%s", i ? "," : "", row_column_name(i));
    }
    fputc('\n', line.stream);
    return line_end(&line, output, write_csv_head, error);
}

static enum status write_heading(struct output *output, struct error *error) {
    struct line line;
    TRY(line_begin(&line, error));
    fputs(output->headed ? "\n" : "", line.stream);
    output->headed = true;
    output->heading_due = false;
    table_write_heading(&output->table, line.stream);
    return line_end(&line, output, write_table_line, error);
}

enum status output_begin(struct output *output, struct error *error) {
    if (output->begun) {
        return STATUS_OK;
    }
    output->begun = true;
    for (size_t i = 0; i < output->note_count; i++) {
        TRY(write_note(output, &output->notes[i], error));
    }
    if (output->csv.file) {
        TRY(write_csv_header(output, error));
    }
    if (output->json.file.file) {
        TRY(json_rows_header(&output->json, error));
    }
    return STATUS_OK;
}

void output_section(struct output *output, const struct table *table) {
    output->heading_due = output->heading_due || !table_same_columns(&output->table, table);
    output->table = *table;
}

static enum status write_table_row(struct output *output, const struct row *row, struct error *error) {
    struct line line;
    TRY(line_begin(&line, error));
    table_write_row(&output->table, output->style, row, line.stream);
    return line_end(&line, output, write_table_line, error);
}

static enum status write_csv_fields(struct output *output, const struct row *row, struct error *error) {
    struct line line;
    char field[ROW_TEXT];
    TRY(line_begin(&line, error));
    for (size_t i = 0; i < row_column_count(); i++) {
        fputs(i ? "," : "", line.stream);
        csv_write_field(line.stream, row_field(row, i, field));
    }
    fputc('\n', line.stream);
    return line_end(&line, output, write_csv_row, error);
}

// Whether the rows in it can be replaced.
static bool is_file(const struct row_file *file) {
    return file->path && row_file_is_regular(file); // not standard output, whichever file that is
}

bool output_has_files(const struct output *output) {
    return is_file(&output->csv) || is_file(&output->json.file);
}

enum status output_row_to(struct output *output, enum output_sinks sinks, const struct row *row, struct error *error) {
    if (!(sinks & OUTPUT_STREAMS) && !output_has_files(output)) {
        return STATUS_OK;
    }
    enum status status = output_begin(output, error);
    if (output->has_table && output->heading_due && (sinks & OUTPUT_STREAMS) && status == STATUS_OK) {
        status = write_heading(output, error);
    }
    if (output->has_table && (sinks & OUTPUT_STREAMS) && status == STATUS_OK) {
        status = write_table_row(output, row, error);
    }
    if (output->csv.file && status == STATUS_OK && (sinks & (is_file(&output->csv) ? OUTPUT_FILES : OUTPUT_STREAMS))) {
        status = write_csv_fields(output, row, error);
    }
    if (output->json.file.file && status == STATUS_OK &&
        (sinks & (is_file(&output->json.file) ? OUTPUT_FILES : OUTPUT_STREAMS))) {
        status = json_rows_row(&output->json, row, error);
    }
    return status;
}

enum status output_row(struct output *output, const struct row *row, struct error *error) {
    return output_row_to(output, OUTPUT_FILES | OUTPUT_STREAMS, row, error);
}

void output_copy_streams(const struct output *output, FILE *file, struct output *copy) {
    *copy = *output;
    copy->file = file;
    copy->csv = (struct row_file){.file = output->csv.file && !is_file(&output->csv) ? file : NULL};
    copy->json.file = (struct row_file){.file = output->json.file.file && !is_file(&output->json.file) ? file : NULL};
}

enum status output_end_copy(struct output *copy, struct error *error) {
    return json_rows_close(&copy->json, true, error);
}

static enum status begin_again(struct output *again, const struct output *output, struct error *error) {
    *again = *output;
    again->begun = again->has_table = false;
    again->csv = (struct row_file){0};
    again->json = (struct json_rows){0};
    if (is_file(&output->csv)) {
        TRY(row_file_begin_again(&again->csv, &output->csv, error));
    }
    if (is_file(&output->json.file)) {
        TRY(json_rows_begin_again(&again->json, &output->json, error));
    }
    return output_begin(again, error);
}

enum status output_rewrite(struct output *output, output_rows *write_rows, void *context, struct error *error) {
    struct output again;
    enum status status = begin_again(&again, output, error);
    if (status == STATUS_OK) {
        status = write_rows(context, &again, error);
    }
    if (again.csv.file && status == STATUS_OK) {
        status = row_file_replace(&output->csv, &again.csv, error);
        again.csv.file = NULL;
    }
    if (again.json.file.file && status == STATUS_OK) {
        status = row_file_replace(&output->json.file, &again.json.file, error);
        output->json.writer = status == STATUS_OK ? again.json.writer : output->json.writer;
        again.json.file.file = NULL;
    }
    row_file_give_up(&again.csv);
    row_file_give_up(&again.json.file);
    return status;
}

enum status output_close(struct output *output, bool whole, struct error *error) {
    enum status status = whole && !output->has_table ? output_begin(output, error) : STATUS_OK;
    const enum status rows = row_file_close(&output->csv, whole, status == STATUS_OK ? error : NULL);
    status = status == STATUS_OK ? rows : status;
    const enum status closed =
        output->json.file.file ? json_rows_close(&output->json, whole, status == STATUS_OK ? error : NULL) : STATUS_OK;
    for (size_t i = 0; i < output->note_count; i++) {
        free(output->notes[i].key);
        free(output->notes[i].value);
    }
    free(output->notes);
    *output = (struct output){0};
    return status == STATUS_OK ? closed : status;
}
