#include "bench/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv_write.h"
#include "util/terminal.h"

enum {
    DEVICE_WIDTH = -1000,
    VARIANT_WIDTH = -1001,
};

// A table's column: its heading and its width on an 80-column terminal.
static const struct heading {
    const char *column;
    const char *text;
    int width; // negative: left-aligned; 0: the last column, as wide as its text
} headings[] = {
    {"device", "device", DEVICE_WIDTH},
    {"variant", "variant", VARIANT_WIDTH},
    {"kernel", "kernel", -11},
    {"op", "op", -5},
    {"type", "type", -7},
    {"width_bytes", "width", 5},
    {"stride", "stride", 6},
    {"offset", "offset", 6},
    {"window_bytes", "window", 9},
    {"pattern", "pattern", -12},
    {"group", "group", 5},
    {"request_line", "line", 4},
    {"elements", "elements", 9},
    {"block", "block", 6},
    {"tile", "tile", 4},
    {"vertices", "vertices", 8},
    {"devices", "devices", 7},
    {"footprint_bytes", "footprint", 12},
    {"page_bytes", "page", 8},
    {"bytes_in_flight", "in flight", 10},
    {"traffic_pct", "traffic %", 9},
    {"level", "level", -6},
    {"latency_ns", "ns", 7},
    {"latency_cycles", "cycles", 7},
    {"parameter", "parameter", -13},
    {"value", "value", 10},
    {"unit", "unit", -6},
    {"confidence_pct", "sure %", 6},
    {"expected", "expected", 8},
    {"time_ns_median", "time ns", 10},
    {"bandwidth_gb_s", "GB/s", 7},
    {"direction", "direction", -11},
    {"one_way_gb_s", "one way", 7},
    {"sum_gb_s", "sum", 6},
    {"peak_pct", "% peak", 6},
    {"cycles_per_request", "cycles", 7},
    {"sectors_per_request", "sectors", 7},
    {"passes_per_request", "passes", 7},
    {"bank_conflicts", "conflicts", 10},
    {"bytes_per_clock", "B/clk", 6},
    {"degree", "degree", 6},
    {"degree_predicted", "model", 6},
    {"model", "model", -9},
    {"certainty", "rule", -7},
    {"copy_pct", "% copy", 6},
    {"limit_pct", "% read", 6},
    {"speedup", "speedup", 7},
    {"gop_s", "GOP/s", 6},
    {"peak_gop_s", "peak", 6},
    {"verdict", "verdict", 0},
};

// A column that is not listed has its name as its heading.
static struct heading heading_of(const struct table_column *column) {
    const char *name = row_column_name(column->number);
    struct heading heading = {name, name, (int)strlen(name)};
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        if (strcmp(headings[i].column, name) == 0) {
            heading = headings[i];
        }
    }
    if (column->width > 0) {
        heading.width = -column->width;
    }
    return heading;
}

const char *output_heading(size_t column) {
    return heading_of(&(struct table_column){column, 0}).text;
}

// NAME or NAME:WIDTH, separated by blanks.
static enum status choose_columns(struct output *output, const char *names, struct error *error) {
    char word[ROW_TEXT];
    int length;
    output->column_count = 0;
    for (; sscanf(names, " %255s%n", word, &length) == 1; names += length) {
        char *colon = strchr(word, ':');
        const int width = colon ? atoi(colon + 1) : 0;
        word[colon ? colon - word : (ptrdiff_t)strlen(word)] = '\0';
        const struct table_column column = {row_column_find(word), width};
        if (column.number == row_column_count() || output->column_count == OUTPUT_COLUMNS_MAX) {
            return error_set(error, STATUS_FAILED, "table column %.60s: %s", word,
                             column.number == row_column_count() ? "unknown: see bench/columns.h"
                                                                 : "one too many: name fewer");
        }
        output->columns[output->column_count++] = column;
    }
    return STATUS_OK;
}

static bool same_columns(const struct output *a, const struct output *b) {
    bool same = a->column_count == b->column_count;
    for (size_t i = 0; i < a->column_count && same; i++) {
        same = a->columns[i].number == b->columns[i].number && a->columns[i].width == b->columns[i].width;
    }
    return same;
}

enum status output_open(struct output *output, const struct output_paths *paths, const char *table_columns,
                        struct output_widths widths, struct error *error) {
    *output = (struct output){.file = stdout,
                              .table = !paths->csv && !paths->json,
                              .colour = terminal_has_colour(stdout),
                              .line_columns = terminal_columns(stdout),
                              .widths = widths,
                              .heading_due = true};
    enum status status = choose_columns(output, table_columns, error);
    if (status == STATUS_OK && paths->csv) {
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
    enum status status = line_begin(&line, error);
    if (status != STATUS_OK) {
        return status;
    }
    fprintf(line.stream, "# %s: ", key);
    for (const char *at = value; *at; at++) {
        fputc((unsigned char)*at < ' ' ? ' ' : *at, line.stream);
    }
    fputc('\n', line.stream);
    return line_end(&line, output, write_csv_head, error);
}

enum status output_metadata(struct output *output, const char *key, const char *value, struct error *error) {
    enum status status = STATUS_OK;
    if (*value && output->csv.file) {
        status = write_csv_metadata(output, key, value, error);
    }
    if (*value && output->json.file.file && status == STATUS_OK) {
        status = json_rows_metadata(&output->json, key, value, error);
    }
    return status;
}

// A field that is wider than its column is written whole, because a number cut short would be another number.
static void write_table_field(const struct output *output, FILE *stream, struct heading heading, const char *field) {
    int width = heading.width;
    if (width == DEVICE_WIDTH || width == VARIANT_WIDTH) {
        width = -(width == DEVICE_WIDTH ? output->widths.device : output->widths.variant);
    }
    fprintf(stream, width ? "%*s " : "%*s", width, field);
}

// The verdicts that '+' joins, from this column on. One that does not fit into the terminal's line begins another line.
static void write_joined(FILE *stream, const char *verdict, int start, int columns) {
    int column = start;
    while (*verdict) {
        const int length = 1 + (int)strcspn(verdict + 1, "+");
        if (columns > 0 && column + length > columns && *verdict == '+') {
            column = start + length > columns && columns > length ? columns - length : start;
            fprintf(stream, "\n%*s", column, "");
        }
        column += fprintf(stream, "%.*s", length, verdict);
        verdict += length;
    }
}

// A row that cannot be trusted stands out.
static void write_table_verdict(const struct output *output, FILE *stream, const char *verdict) {
    const char *colour = strstr(verdict, "unverified") ? TERMINAL_RED : TERMINAL_YELLOW;
    const bool painted = output->colour && *verdict && strcmp(verdict, "ok") != 0;
    const int start = (int)ftell(stream);
    fputs(painted ? colour : "", stream);
    write_joined(stream, verdict, start, output->line_columns);
    fputs(painted ? TERMINAL_PLAIN : "", stream);
}

static enum status write_csv_header(struct output *output, struct error *error) {
    struct line line;
    enum status status = line_begin(&line, error);
    if (status != STATUS_OK) {
        return status;
    }
    for (size_t i = 0; i < row_column_count(); i++) {
        fprintf(line.stream, "%s%s", i ? "," : "", row_column_name(i));
    }
    fputc('\n', line.stream);
    return line_end(&line, output, write_csv_head, error);
}

static enum status write_heading(struct output *output, struct error *error) {
    struct line line;
    enum status status = line_begin(&line, error);
    if (status != STATUS_OK) {
        return status;
    }
    fputs(output->headed ? "\n" : "", line.stream);
    output->headed = true;
    output->heading_due = false;
    for (size_t i = 0; i < output->column_count; i++) {
        const struct heading heading = heading_of(&output->columns[i]);
        write_table_field(output, line.stream, heading, heading.text);
    }
    fputc('\n', line.stream);
    return line_end(&line, output, write_table_line, error);
}

enum status output_header(struct output *output, struct error *error) {
    enum status status = STATUS_OK;
    if (output->csv.file) {
        status = write_csv_header(output, error);
    }
    if (output->json.file.file && status == STATUS_OK) {
        status = json_rows_header(&output->json, error);
    }
    return status;
}

enum status output_section(struct output *output, const char *table_columns, struct output_widths widths,
                           struct error *error) {
    const struct output before = *output;
    if (!output->table) {
        return STATUS_OK;
    }
    enum status status = choose_columns(output, table_columns, error);
    output->widths = widths;
    output->heading_due = output->heading_due || !same_columns(output, &before);
    return status;
}

// Rounds a number for reading: two decimals below 10, one below 1000, then none.
static void shorten_number(char field[ROW_TEXT]) {
    char *end;
    double value = strtod(field, &end);
    if (end != field && *end == '\0' && strchr(field, '.')) {
        snprintf(field, ROW_TEXT, "%.*f", value < 10 ? 2 : value < 1000 ? 1 : 0, value);
    }
}

static enum status write_table_row(struct output *output, const struct row *row, struct error *error) {
    struct line line;
    char field[ROW_TEXT];
    enum status status = line_begin(&line, error);
    if (status != STATUS_OK) {
        return status;
    }
    const size_t device = row_column_find("device"), verdict = row_column_find("verdict");
    for (size_t i = 0; i < output->column_count; i++) {
        const size_t column = output->columns[i].number;
        row_field(row, column, field);
        shorten_number(field);
        if (column == verdict) {
            write_table_verdict(output, line.stream, field);
        } else {
            write_table_field(output, line.stream, heading_of(&output->columns[i]),
                              column == device ? row->spec : field);
        }
    }
    fputc('\n', line.stream);
    return line_end(&line, output, write_table_line, error);
}

static enum status write_csv_fields(struct output *output, const struct row *row, struct error *error) {
    struct line line;
    char field[ROW_TEXT];
    enum status status = line_begin(&line, error);
    if (status != STATUS_OK) {
        return status;
    }
    for (size_t i = 0; i < row_column_count(); i++) {
        fputs(i ? "," : "", line.stream);
        csv_write_field(line.stream, row_field(row, i, field));
    }
    fputc('\n', line.stream);
    return line_end(&line, output, write_csv_row, error);
}

enum status output_row(struct output *output, const struct row *row, struct error *error) {
    enum status status = STATUS_OK;
    if (output->table && output->heading_due) {
        status = write_heading(output, error);
    }
    if (output->table && status == STATUS_OK) {
        status = write_table_row(output, row, error);
    }
    if (output->csv.file) {
        status = write_csv_fields(output, row, error);
    }
    if (output->json.file.file && status == STATUS_OK) {
        status = json_rows_row(&output->json, row, error);
    }
    return status;
}

enum status output_close(struct output *output, bool whole, struct error *error) {
    enum status status = row_file_close(&output->csv, whole, error);
    const enum status closed = json_rows_close(&output->json, whole, status == STATUS_OK ? error : NULL);
    *output = (struct output){0};
    return status == STATUS_OK ? closed : status;
}
