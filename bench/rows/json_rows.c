#include "bench/rows/json_rows.h"

#include <stdlib.h>

// The text of one call, which is written to the file as a whole.
struct text {
    char *bytes;
    size_t length;
};

static enum status text_begin(struct text *text, struct json_rows *json, struct error *error) {
    json->writer.file = open_memstream(&text->bytes, &text->length);
    return json->writer.file ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
}

static enum status head_end(struct text *text, struct json_rows *json, struct error *error) {
    fclose(json->writer.file);
    const enum status status = row_file_write_head(&json->file, text->bytes, text->length, error);
    free(text->bytes);
    return status;
}

// The text's last `ending` bytes close the object.
static enum status rows_end(struct text *text, struct json_rows *json, size_t ending, struct error *error) {
    fclose(json->writer.file);
    const enum status status = row_file_write(&json->file, text->bytes, text->length, ending, error);
    free(text->bytes);
    return status;
}

static enum status begin(struct json_rows *json, struct error *error) {
    struct text text;
    enum status status = text_begin(&text, json, error);
    if (status != STATUS_OK) {
        return status;
    }
    json_begin_object(&json->writer, NULL);
    json_begin_object(&json->writer, "metadata");
    return head_end(&text, json, error);
}

enum status json_rows_open(struct json_rows *json, const char *path, struct error *error) {
    *json = (struct json_rows){.writer = json_writer(NULL)};
    TRY(row_file_open(&json->file, path, error));
    return begin(json, error);
}

enum status json_rows_begin_again(struct json_rows *again, const struct json_rows *json, struct error *error) {
    *again = (struct json_rows){.writer = json_writer(NULL)};
    TRY(row_file_begin_again(&again->file, &json->file, error));
    return begin(again, error);
}

enum status json_rows_metadata(struct json_rows *json, const char *key, const char *value, struct error *error) {
    struct text text;
    enum status status = text_begin(&text, json, error);
    if (status != STATUS_OK) {
        return status;
    }
    json_write_text(&json->writer, key, value);
    return head_end(&text, json, error);
}

static void write_columns(struct json_writer *writer) {
    static const char *const types[] = {[COLUMN_TEXT] = "string", [COLUMN_COUNT] = "integer", [COLUMN_REAL] = "number"};
    json_begin_array(writer, "columns");
    for (size_t i = 0; i < row_column_count(); i++) {
        json_begin_object(writer, NULL);
        json_write_text(writer, "name", row_column_name(i));
        json_write_text(writer, "type", types[row_column_type(i)]);
        json_write_text(writer, "unit", row_column_unit(i));
        json_end(writer);
    }
    json_end(writer);
}

// Closes the object in the text, and leaves it open for the writer. Returns the length of what was added.
static size_t close_object(const struct json_rows *json, const struct text *text) {
    struct json_writer closing = json->writer;
    fflush(closing.file);
    const size_t before = text->length;
    while (closing.depth > 0) {
        json_end(&closing);
    }
    fflush(closing.file);
    return text->length - before;
}

static enum status write_ending(struct json_rows *json, struct error *error) {
    struct text text;
    TRY(text_begin(&text, json, error));
    return rows_end(&text, json, close_object(json, &text), error);
}

// Makes a file without rows a whole object, as far as it can be changed again.
static enum status end_empty(struct json_rows *json, struct error *error) {
    struct text text;
    if (!json->file.path) {
        return row_file_is_regular(&json->file) ? write_ending(json, error) : STATUS_OK;
    }
    TRY(text_begin(&text, json, error));
    close_object(json, &text);
    fclose(json->writer.file);
    const enum status status = row_file_write_empty(&json->file, text.bytes, text.length, error);
    free(text.bytes);
    return status;
}

enum status json_rows_header(struct json_rows *json, struct error *error) {
    struct text text;
    enum status status = text_begin(&text, json, error);
    if (status != STATUS_OK) {
        return status;
    }
    json_end(&json->writer); // of the metadata
    write_columns(&json->writer);
    json_begin_array(&json->writer, "rows");
    status = head_end(&text, json, error);
    return status == STATUS_OK ? end_empty(json, error) : status;
}

static void write_fields(struct json_writer *writer, const struct row *row) {
    char field[ROW_TEXT];
    json_begin_object(writer, NULL);
    for (size_t i = 0; i < row_column_count(); i++) {
        if (*row_field(row, i, field) && row_column_type(i) == COLUMN_TEXT) {
            json_write_text(writer, row_column_name(i), field);
        } else if (*field) {
            json_write_number(writer, row_column_name(i), field);
        }
    }
    json_end(writer);
}

enum status json_rows_row(struct json_rows *json, const struct row *row, struct error *error) {
    const struct json_writer before = json->writer;
    struct text text;
    enum status status = text_begin(&text, json, error);
    if (status != STATUS_OK) {
        return status;
    }
    write_fields(&json->writer, row);
    status = rows_end(&text, json, row_file_is_regular(&json->file) ? close_object(json, &text) : 0, error);
    if (status != STATUS_OK) { // makes the rows before a whole object again
        json->writer = before;
        write_ending(json, NULL);
    }
    return status;
}

enum status json_rows_close(struct json_rows *json, bool whole, struct error *error) {
    const bool complete = json->file.ending > 0 || (json->file.head && !whole);
    enum status status = complete || !json->file.file ? STATUS_OK : write_ending(json, error);
    const enum status closed = row_file_close(&json->file, whole, status == STATUS_OK ? error : NULL);
    return status == STATUS_OK ? closed : status;
}
