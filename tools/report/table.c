#include "tools/report/table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/row.h"
#include "util/csv.h"

// A line without ": " has no key.
static void add_remark(void *context, const char *text) {
    struct table *table = context;
    const char *colon = strstr(text, ": ");
    const char *key = text + strspn(text, " ");
    const char *value = colon ? colon + 2 : key;
    table->remarks = memory_room(table->remarks, table->remark_count, sizeof *table->remarks);
    table->remarks[table->remark_count++] =
        (struct remark){texts_keep(&table->texts, key, colon ? (size_t)(colon - key) : 0),
                        texts_keep(&table->texts, value, strcspn(value, "\r"))};
}

// Columns that this version does not know are not checked.
static bool holds_number(const char *column) {
    const size_t known = row_column_find(column);
    return known < ROW_COLUMN_COUNT && row_column_type(known) != COLUMN_TEXT;
}

static enum status check_header(const struct csv_reader *reader, bool *foreign, struct error *error) {
    static const char *const needed[] = {"probe", "variant", "backend", "device", "source"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        *foreign = *foreign || csv_reader_column(reader, needed[i]) == SIZE_MAX;
    }
    return *foreign ? error_set(error, STATUS_USAGE,
                                "%s: it lacks bankshot's columns probe, variant, backend, device and source: "
                                "name a probe's CSV file",
                                reader->path)
                    : STATUS_OK;
}

// The names outlive the reader.
static void take_columns(struct table *table, struct csv_reader *reader) {
    table->columns = reader->names;
    reader->names = (struct names){0};
    table->numbers = memory_zeros(table->columns.count, sizeof *table->numbers);
    for (size_t i = 0; i < table->columns.count; i++) {
        table->numbers[i] = holds_number(table->columns.texts[i]);
    }
}

static enum status check_field(const struct table *table, const struct csv_reader *reader, size_t column,
                               struct error *error) {
    const char *name = table->columns.texts[column];
    double number;
    return table->numbers[column] ? csv_reader_number(reader, csv_reader_field(reader, column), name,
                                                      row_column_is_signed(name), &number, error)
                                  : STATUS_OK;
}

static enum status check_row(const struct table *table, const struct csv_reader *reader, size_t rows_max,
                             struct error *error) {
    const unsigned long long line = reader->line;
    if (reader->lines != reader->line) {
        return error_set(error, STATUS_USAGE, "%s:%llu: a field holds the end of a line: run the probe again",
                         reader->path, line);
    }
    if (table->row_count == rows_max) {
        return error_set(error, STATUS_USAGE,
                         "%s:%llu: there are more rows than a page can show: name fewer folders, or sweep fewer values",
                         reader->path, line);
    }
    return STATUS_OK;
}

static enum status add_row(struct table *table, const struct csv_reader *reader, size_t rows_max, struct error *error) {
    const size_t width = table->columns.count;
    TRY(check_row(table, reader, rows_max, error));
    table->fields = memory_room(table->fields, table->row_count, width * sizeof *table->fields);
    const char **fields = &table->fields[width * table->row_count++];
    for (size_t i = 0; i < width; i++) {
        const char *text = csv_reader_field(reader, i);
        const bool repeats = table->row_count > 1 && strcmp(fields[i - width], text) == 0;
        TRY(check_field(table, reader, i, error));
        fields[i] = repeats ? fields[i - width] : texts_copy(&table->texts, text);
    }
    return STATUS_OK;
}

static enum status read_rows(struct table *table, struct csv_reader *reader, size_t rows_max, struct error *error) {
    bool found = true;
    while (found) {
        TRY(csv_reader_next(reader, &found, error));
        if (found) {
            TRY(add_row(table, reader, rows_max, error));
        }
    }
    return STATUS_OK;
}

// Reads the whole file, whose columns need not be bankshot's if foreign is NULL.
static enum status read_file(struct table *table, struct csv_reader *reader, size_t rows_max, bool *foreign,
                             struct error *error) {
    TRY(csv_reader_header(reader, add_remark, table, error));
    if (foreign) {
        TRY(check_header(reader, foreign, error));
    }
    TRY(csv_reader_check_header(reader, error)); // from here on each name has the number of its column
    take_columns(table, reader);
    return read_rows(table, reader, rows_max, error);
}

enum status table_read(struct table *table, const char *path, size_t rows_max, bool *foreign, struct error *error) {
    struct csv_reader reader;
    *table = (struct table){.path = path};
    *foreign = false;
    TRY(csv_reader_open(&reader, path, error));
    const enum status status = read_file(table, &reader, rows_max, foreign, error);
    csv_reader_close(&reader);
    return status;
}

enum status table_read_published(struct table *table, FILE *file, const char *path, struct error *error) {
    struct csv_reader reader;
    *table = (struct table){.path = path};
    csv_reader_from(&reader, file, path);
    const enum status status = read_file(table, &reader, SIZE_MAX, NULL, error);
    csv_reader_close(&reader);
    return status;
}

void table_clear(struct table *table) {
    free(table->remarks);
    names_clear(&table->columns);
    free(table->numbers);
    free(table->fields);
    texts_clear(&table->texts);
    *table = (struct table){0};
}

size_t table_column(const struct table *table, const char *name) {
    return names_find(&table->columns, name);
}

const char *table_field(const struct table *table, size_t row, size_t column) {
    return column < table->columns.count ? table->fields[row * table->columns.count + column] : "";
}

const char *table_text(const struct table *table, size_t row, const char *column) {
    return table_field(table, row, table_column(table, column));
}

// ---- The files that a page is made from ----

static bool same_file(const char *a, const char *b) {
    struct stat at_a, at_b;
    return stat(a, &at_a) == 0 && stat(b, &at_b) == 0 && at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
}

static bool was_read(const struct inputs *inputs, const char *path) {
    bool found = false;
    for (size_t i = 0; i < inputs->count && !found; i++) {
        found = same_file(inputs->tables[i].path, path);
    }
    return found;
}

// Keeps a table that has rows, unless it was read before.
static enum status read_input(void *context, const char *path, bool *foreign, struct error *error) {
    struct inputs *inputs = context;
    *foreign = false;
    if (was_read(inputs, path)) {
        inputs->repeated++;
        return STATUS_OK;
    }
    const char *kept = texts_copy(&inputs->paths, path);
    inputs->tables = memory_room(inputs->tables, inputs->count, sizeof *inputs->tables);
    struct table *table = &inputs->tables[inputs->count];
    const enum status status = table_read(table, kept, ROWS_MAX - inputs->rows, foreign, error);
    if (status == STATUS_OK && table->row_count > 0) {
        inputs->count++;
        inputs->rows += table->row_count;
    } else {
        table_clear(table);
    }
    return status;
}

static enum status read_path(struct inputs *inputs, const char *path, struct error *error) {
    const size_t before = inputs->count + inputs->repeated;
    size_t foreign;
    TRY(csv_files_read(path, read_input, inputs, &foreign, error));
    if (inputs->count + inputs->repeated == before) {
        return error_set(error, STATUS_USAGE, "%s: there is no row in it to show: run a probe with --csv first", path);
    }
    return STATUS_OK;
}

enum status inputs_read(struct inputs *inputs, const char *const *paths, size_t count, struct error *error) {
    for (size_t i = 0; i < count; i++) {
        TRY(read_path(inputs, paths[i], error));
    }
    return STATUS_OK;
}

void inputs_clear(struct inputs *inputs) {
    for (size_t i = 0; i < inputs->count; i++) {
        table_clear(&inputs->tables[i]);
    }
    free(inputs->tables);
    texts_clear(&inputs->paths);
    *inputs = (struct inputs){0};
}

const char *table_probe(const struct table *table) {
    return table_text(table, 0, "probe");
}
