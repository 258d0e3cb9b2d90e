#include "bench/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEVICE_WIDTH = -1000,
    VARIANT_WIDTH = -1001,
};

// A table's column: its heading and its width on an 80-column terminal.
static const struct heading {
    const char *column;
    const char *text;
    int width; // negative: left-aligned; 0: the last one, as long as it is
} headings[] = {
    {"device", "device", DEVICE_WIDTH},
    {"variant", "variant", VARIANT_WIDTH},
    {"kernel", "kernel", -8},
    {"op", "op", -5},
    {"type", "type", -7},
    {"width_bytes", "width", 5},
    {"stride", "stride", 6},
    {"offset", "offset", 6},
    {"group", "group", 5},
    {"request_line", "line", 4},
    {"elements", "elements", 10},
    {"block", "block", 6},
    {"tile", "tile", 4},
    {"vertices", "vertices", 8},
    {"footprint_bytes", "footprint", 12},
    {"page_bytes", "page", 8},
    {"bytes_in_flight", "in flight", 10},
    {"level", "level", -6},
    {"latency_ns", "ns", 7},
    {"latency_cycles", "cycles", 7},
    {"parameter", "parameter", -22},
    {"value", "value", 12},
    {"unit", "unit", -6},
    {"confidence_pct", "sure %", 6},
    {"expected", "expected", -20},
    {"time_ns_median", "time ns", 12},
    {"bandwidth_gb_s", "GB/s", 7},
    {"peak_pct", "% peak", 6},
    {"cycles_per_request", "cyc/req", 7},
    {"sectors_per_request", "sec/rq", 6},
    {"passes_per_request", "pass/rq", 7},
    {"bank_conflicts", "conflicts", 10},
    {"bytes_per_clock", "B/clk", 6},
    {"degree", "degree", 6},
    {"degree_predicted", "model", 6},
    {"certainty", "rule", -7},
    {"copy_pct", "% copy", 6},
    {"limit_pct", "% limit", 7},
    {"speedup", "speedup", 7},
    {"gop_s", "GOP/s", 8},
    {"peak_gop_s", "peak", 8},
    {"verdict", "verdict", 0},
};

static const struct heading *heading_of(size_t column) {
    static const struct heading plain = {"", "", 10};
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        if (strcmp(headings[i].column, row_column_name(column)) == 0) {
            return &headings[i];
        }
    }
    return &plain;
}

static enum status cannot(const struct output *output, const char *what, enum status status, struct error *error) {
    return error_set(error, status, "%s: cannot be %s: %s", output->path ? output->path : "standard output", what,
                     strerror(errno));
}

static void choose_columns(struct output *output, const char *names) {
    char name[ROW_TEXT];
    int length;
    while (sscanf(names, " %63s%n", name, &length) == 1 && output->column_count < OUTPUT_COLUMNS_MAX) {
        output->columns[output->column_count++] = row_column_find(name);
        names += length;
    }
}

enum status output_open(struct output *output, const char *csv_path, const char *table_columns,
                        struct output_widths widths, struct error *error) {
    *output = (struct output){.file = stdout, .csv = csv_path != NULL, .widths = widths};
    choose_columns(output, table_columns);
    if (!csv_path || strcmp(csv_path, "-") == 0) {
        return STATUS_OK;
    }
    output->path = csv_path;
    output->created = access(csv_path, F_OK) != 0;
    int descriptor = open(csv_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    output->file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    return output->file ? STATUS_OK : cannot(output, "written", STATUS_USAGE, error);
}

enum status output_start(struct output *output, struct error *error) {
    struct stat info;
    if (output->path && stat(output->path, &info) == 0 && S_ISREG(info.st_mode) &&
        ftruncate(fileno(output->file), 0) != 0) {
        return cannot(output, "written", STATUS_USAGE, error);
    }
    return STATUS_OK;
}

// Writes a whole line or none of it: what a full disk cut off is taken back.
static enum status write_line(struct output *output, const char *line, size_t length, struct error *error) {
    int descriptor = fileno(output->file);
    off_t start = lseek(descriptor, 0, SEEK_CUR);
    size_t done = 0;
    while (done < length) {
        ssize_t written = write(descriptor, line + done, length - done);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            int saved = errno;
            if (start >= 0 && ftruncate(descriptor, start) == 0) {
                lseek(descriptor, start, SEEK_SET);
            }
            errno = saved;
            return cannot(output, "written: the rows before are kept", STATUS_FAILED, error);
        }
        done += (size_t)written;
    }
    return STATUS_OK;
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

static enum status line_end(struct line *line, struct output *output, struct error *error) {
    fclose(line->stream);
    enum status status = write_line(output, line->text, line->length, error);
    free(line->text);
    return status;
}

enum status output_metadata(struct output *output, const char *key, const char *value, struct error *error) {
    struct line line;
    if (!output->csv || !*value) {
        return STATUS_OK;
    }
    enum status status = line_begin(&line, error);
    if (status != STATUS_OK) {
        return status;
    }
    fprintf(line.stream, "# %s: ", key);
    for (const char *at = value; *at; at++) {
        fputc((unsigned char)*at < ' ' ? ' ' : *at, line.stream);
    }
    fputc('\n', line.stream);
    return line_end(&line, output, error);
}

// RFC 4180: a field with a comma, a quote or a line break is quoted, its quotes doubled.
static void write_field(FILE *stream, const char *field) {
    if (!strpbrk(field, ",\"\r\n")) {
        fputs(field, stream);
        return;
    }
    fputc('"', stream);
    for (; *field; field++) {
        if (*field == '"') {
            fputc('"', stream);
        }
        fputc(*field, stream);
    }
    fputc('"', stream);
}

static void write_table_field(const struct output *output, FILE *stream, size_t column, const char *field) {
    int width = heading_of(column)->width;
    if (width == DEVICE_WIDTH || width == VARIANT_WIDTH) {
        width = -(width == DEVICE_WIDTH ? output->widths.device : output->widths.variant);
    }
    if (width == 0) {
        fputs(field, stream);
    } else {
        fprintf(stream, "%*.*s ", width, width < 0 ? -width : width, field);
    }
}

enum status output_header(struct output *output, struct error *error) {
    struct line line;
    enum status status = line_begin(&line, error);
    if (status != STATUS_OK) {
        return status;
    }
    if (output->csv) {
        for (size_t i = 0; i < row_column_count(); i++) {
            fprintf(line.stream, "%s%s", i ? "," : "", row_column_name(i));
        }
    } else {
        for (size_t i = 0; i < output->column_count; i++) {
            write_table_field(output, line.stream, output->columns[i], heading_of(output->columns[i])->text);
        }
    }
    fputc('\n', line.stream);
    return line_end(&line, output, error);
}

// Rounded for reading: four digits at least, no exponent.
static void shorten_number(char field[ROW_TEXT]) {
    char *end;
    double value = strtod(field, &end);
    if (end != field && *end == '\0' && strchr(field, '.')) {
        snprintf(field, ROW_TEXT, "%.*f", value < 10 ? 2 : value < 1000 ? 1 : 0, value);
    }
}

enum status output_row(struct output *output, const struct row *row, struct error *error) {
    struct line line;
    char field[ROW_TEXT];
    enum status status = line_begin(&line, error);
    if (status != STATUS_OK) {
        return status;
    }
    size_t count = output->csv ? row_column_count() : output->column_count;
    size_t device = row_column_find("device");
    for (size_t i = 0; i < count; i++) {
        size_t column = output->csv ? i : output->columns[i];
        row_field(row, column, field);
        if (output->csv) {
            fputs(i ? "," : "", line.stream);
            write_field(line.stream, field);
        } else {
            shorten_number(field);
            write_table_field(output, line.stream, column, column == device ? row->spec : field);
        }
    }
    fputc('\n', line.stream);
    return line_end(&line, output, error);
}

enum status output_close(struct output *output, bool started, struct error *error) {
    if (!output->file || !output->path) {
        return STATUS_OK;
    }
    FILE *file = output->file;
    output->file = NULL;
    if (fclose(file) != 0) {
        return cannot(output, "closed", STATUS_FAILED, error);
    }
    if (!started && output->created) {
        unlink(output->path);
    }
    return STATUS_OK;
}
