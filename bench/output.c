#include "bench/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/leftover.h"

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
    {"kernel", "kernel", -8},
    {"op", "op", -5},
    {"type", "type", -7},
    {"width_bytes", "width", 5},
    {"stride", "stride", 6},
    {"offset", "offset", 6},
    {"window_bytes", "window", 11},
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
    {"value", "value", 12},
    {"unit", "unit", -6},
    {"confidence_pct", "sure %", 6},
    {"expected", "expected", 10},
    {"time_ns_median", "time ns", 12},
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
    {"gop_s", "GOP/s", 8},
    {"peak_gop_s", "peak", 8},
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

static enum status cannot(const struct output *output, const char *what, enum status status, struct error *error) {
    return error_set(error, status, "%s: cannot be %s: %s", output->path ? output->path : "standard output", what,
                     strerror(errno));
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

// Opens the file with its old content and locks it. *created says whether the file is new.
static int open_locked(const char *path, bool *created) {
    for (;;) {
        struct stat opened, named;
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        *created = file >= 0;
        if (file < 0 && errno == EEXIST) {
            file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        }
        if (file < 0 || fstat(file, &opened) != 0 || !S_ISREG(opened.st_mode)) {
            return file;
        }
        if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) { // other errors: the file system has no locks
            close(file);
            errno = EWOULDBLOCK;
            return -1;
        }
        if (stat(path, &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev) {
            return file;
        }
        close(file); // its last owner removed the file meanwhile
    }
}

enum status output_open(struct output *output, const char *csv_path, const char *table_columns,
                        struct output_widths widths, struct error *error) {
    struct stat info;
    *output = (struct output){.file = stdout, .csv = csv_path != NULL, .widths = widths};
    if (!csv_path || strcmp(csv_path, "-") == 0) {
        return choose_columns(output, table_columns, error);
    }
    signal(SIGXFSZ, SIG_IGN); // turns a limit on a file's size into an error of write()
    output->path = csv_path;
    int descriptor = open_locked(csv_path, &output->created);
    if (descriptor < 0 && errno == EWOULDBLOCK) {
        output->file = NULL;
        return error_set(error, STATUS_USAGE, "%s: another run writes it: wait for that run, or name another file",
                         csv_path);
    }
    output->file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!output->file) {
        return cannot(output, "written", STATUS_USAGE, error);
    }
    if (output->created) {
        leftover_add(output->path);
    }
    const bool regular = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
    output->head = regular ? open_memstream(&output->head_text, &output->head_length) : NULL;
    return regular && !output->head ? error_set(error, STATUS_FAILED, "out of memory") : STATUS_OK;
}

// Writes a whole line or none of it: if the disk is full, the part already written is cut off again.
static enum status write_through(struct output *output, const char *line, size_t length, struct error *error) {
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

// Replaces the file's old content with the head.
static enum status write_head(struct output *output, struct error *error) {
    if (!output->head) {
        return STATUS_OK;
    }
    fclose(output->head);
    output->head = NULL;
    if (ftruncate(fileno(output->file), 0) != 0) {
        return cannot(output, "written", STATUS_FAILED, error);
    }
    leftover_forget(output->path);
    output->created = false;
    return write_through(output, output->head_text, output->head_length, error);
}

static enum status write_line(struct output *output, const char *line, size_t length, struct error *error) {
    if (output->head) {
        return fwrite(line, 1, length, output->head) == length ? STATUS_OK
                                                               : error_set(error, STATUS_FAILED, "out of memory");
    }
    return write_through(output, line, length, error);
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

// A field that is wider than its column is written whole, because a number cut short would be another number.
static void write_table_field(const struct output *output, FILE *stream, struct heading heading, const char *field) {
    int width = heading.width;
    if (width == DEVICE_WIDTH || width == VARIANT_WIDTH) {
        width = -(width == DEVICE_WIDTH ? output->widths.device : output->widths.variant);
    }
    fprintf(stream, width ? "%*s " : "%*s", width, field);
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
            const struct heading heading = heading_of(&output->columns[i]);
            write_table_field(output, line.stream, heading, heading.text);
        }
    }
    fputc('\n', line.stream);
    return line_end(&line, output, error);
}

enum status output_section(struct output *output, const char *table_columns, struct output_widths widths,
                           struct error *error) {
    const struct output before = *output;
    if (output->csv) {
        return STATUS_OK;
    }
    enum status status = choose_columns(output, table_columns, error);
    if (status != STATUS_OK || (output->headed && same_columns(output, &before))) {
        return status;
    }
    output->widths = widths;
    if (output->headed) {
        status = write_line(output, "\n", 1, error);
    }
    output->headed = true;
    return status == STATUS_OK ? output_header(output, error) : status;
}

// Rounds a number for reading: two decimals below 10, one below 1000, then none.
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
    enum status status = write_head(output, error);
    if (status == STATUS_OK) {
        status = line_begin(&line, error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    size_t count = output->csv ? row_column_count() : output->column_count;
    size_t device = row_column_find("device");
    for (size_t i = 0; i < count; i++) {
        size_t column = output->csv ? i : output->columns[i].number;
        row_field(row, column, field);
        if (output->csv) {
            fputs(i ? "," : "", line.stream);
            write_field(line.stream, field);
        } else {
            shorten_number(field);
            write_table_field(output, line.stream, heading_of(&output->columns[i]),
                              column == device ? row->spec : field);
        }
    }
    fputc('\n', line.stream);
    return line_end(&line, output, error);
}

enum status output_close(struct output *output, bool whole, struct error *error) {
    if (!output->file || !output->path) {
        return STATUS_OK;
    }
    enum status status = whole ? write_head(output, error) : STATUS_OK;
    if (output->head) {
        fclose(output->head);
    }
    free(output->head_text);
    if (output->created) {
        unlink(output->path); // still locked, so no other process has it
        leftover_forget(output->path);
    }
    if (fclose(output->file) != 0 && status == STATUS_OK) {
        status = cannot(output, "closed", STATUS_FAILED, error);
    }
    *output = (struct output){0};
    return status;
}
