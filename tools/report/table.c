#include "tools/report/table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/row.h"
#include "util/csv.h"

// Doubles the room of an array once it is full.
static enum status make_room(void **array, size_t count, size_t *capacity, size_t size, struct error *error) {
    if (count < *capacity) {
        return STATUS_OK;
    }
    const size_t larger = *capacity ? 2 * *capacity : 64;
    void *grown = realloc(*array, larger * size);
    if (!grown) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    *array = grown;
    *capacity = larger;
    return STATUS_OK;
}

static enum status keep(struct table *table, const char **kept, const char *text, size_t length, struct error *error) {
    *kept = texts_keep(&table->texts, text, length);
    return *kept ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
}

// A line without ": " has no key.
static enum status add_remark(struct table *table, const char *text, struct error *error) {
    const char *colon = strstr(text, ": ");
    const char *key = text + strspn(text, " ");
    const char *value = colon ? colon + 2 : key;
    TRY(make_room((void **)&table->remarks, table->remark_count, &table->remark_capacity, sizeof *table->remarks,
                  error));
    struct remark *remark = &table->remarks[table->remark_count++];
    TRY(keep(table, &remark->key, key, colon ? (size_t)(colon - key) : 0, error));
    return keep(table, &remark->value, value, strcspn(value, "\r"), error);
}

static enum status read_remarks(struct table *table, struct csv_reader *reader, struct error *error) {
    bool found = true;
    while (found) {
        TRY(csv_reader_remark(reader, &found, error));
        if (found) {
            TRY(add_remark(table, csv_reader_field(reader, 0), error));
        }
    }
    return STATUS_OK;
}

// Columns that this version does not know are not checked.
static bool holds_number(const char *column) {
    const size_t known = row_column_find(column);
    return known < row_column_count() && row_column_type(known) != COLUMN_TEXT;
}

static enum status read_header(struct table *table, struct csv_reader *reader, struct error *error) {
    bool found;
    enum status status = csv_reader_next(reader, &found, error);
    if (status == STATUS_OK && !found) {
        return error_set(error, STATUS_USAGE, "%s: there is no header line in it: run the probe again", reader->path);
    }
    table->column_count = status == STATUS_OK ? reader->count : 0;
    table->columns = calloc(table->column_count + 1, sizeof *table->columns);
    table->numbers = calloc(table->column_count + 1, sizeof *table->numbers);
    if (!table->columns || !table->numbers) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    for (size_t i = 0; i < table->column_count && status == STATUS_OK; i++) {
        const char *name = csv_reader_field(reader, i);
        status = keep(table, &table->columns[i], name, strlen(name), error);
        table->numbers[i] = holds_number(name);
    }
    return status;
}

static enum status check_header(const struct table *table, bool *foreign, struct error *error) {
    static const char *const needed[] = {"probe", "variant", "backend", "device", "source"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        *foreign = *foreign || table_column(table, needed[i]) == table->column_count;
    }
    return *foreign ? error_set(error, STATUS_USAGE,
                                "%s: it lacks bankshot's columns probe, variant, backend, device and source: "
                                "name a probe's CSV file",
                                table->path)
                    : STATUS_OK;
}

static enum status check_field(const struct table *table, const struct csv_reader *reader, size_t column,
                               struct error *error) {
    const char *text = csv_reader_field(reader, column);
    char *end;
    if (!*text || !table->numbers[column] || (isfinite(strtod(text, &end)) && end != text && !*end)) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "%s:%llu: %s is '%.40s', not a number: run the probe again", reader->path,
                     (unsigned long long)reader->line, table->columns[column], text);
}

static enum status check_row(const struct table *table, const struct csv_reader *reader, size_t rows_max,
                             struct error *error) {
    const unsigned long long line = reader->line;
    if (reader->count != table->column_count) {
        return error_set(error, STATUS_USAGE,
                         "%s:%llu: the row has %zu fields, and the header %zu: run the probe again", reader->path, line,
                         reader->count, table->column_count);
    }
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
    const size_t width = table->column_count;
    enum status status = check_row(table, reader, rows_max, error);
    if (status == STATUS_OK) {
        status = make_room((void **)&table->fields, table->row_count, &table->row_capacity,
                           width * sizeof *table->fields, error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    const char **fields = &table->fields[width * table->row_count++];
    for (size_t i = 0; i < width && status == STATUS_OK; i++) {
        const char *text = csv_reader_field(reader, i);
        const bool repeats = table->row_count > 1 && strcmp(fields[i - width], text) == 0;
        status = check_field(table, reader, i, error);
        if (repeats) {
            fields[i] = fields[i - width];
        } else if (status == STATUS_OK) {
            status = keep(table, &fields[i], text, strlen(text), error);
        }
    }
    return status;
}

static enum status read_head(struct table *table, struct csv_reader *reader, struct error *error) {
    TRY(read_remarks(table, reader, error));
    return read_header(table, reader, error);
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

enum status table_read(struct table *table, const char *path, size_t rows_max, bool *foreign, struct error *error) {
    struct csv_reader reader;
    *table = (struct table){.path = path};
    *foreign = false;
    TRY(csv_reader_open(&reader, path, error));
    enum status status = read_head(table, &reader, error);
    if (status == STATUS_OK) {
        status = check_header(table, foreign, error);
    }
    if (status == STATUS_OK) {
        status = read_rows(table, &reader, rows_max, error);
    }
    csv_reader_close(&reader);
    return status;
}

enum status table_read_published(struct table *table, FILE *file, const char *path, struct error *error) {
    struct csv_reader reader;
    *table = (struct table){.path = path};
    csv_reader_from(&reader, file, path);
    enum status status = read_head(table, &reader, error);
    if (status == STATUS_OK) {
        status = read_rows(table, &reader, SIZE_MAX, error);
    }
    csv_reader_close(&reader);
    return status;
}

void table_clear(struct table *table) {
    free(table->remarks);
    free(table->columns);
    free(table->numbers);
    free(table->fields);
    texts_clear(&table->texts);
    *table = (struct table){0};
}

size_t table_column(const struct table *table, const char *name) {
    size_t column = 0;
    while (column < table->column_count && strcmp(table->columns[column], name) != 0) {
        column++;
    }
    return column;
}

const char *table_field(const struct table *table, size_t row, size_t column) {
    return column < table->column_count ? table->fields[row * table->column_count + column] : "";
}

const char *table_text(const struct table *table, size_t row, const char *column) {
    return table_field(table, row, table_column(table, column));
}
