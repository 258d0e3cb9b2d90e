#include "bench/output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "util/csv.h"
#include "util/leftover.h"
#include "util/terminal.h"
#include "util/version.h"

static void write_date(struct output *output) {
    char date[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) {
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    output_metadata(output, "date", date);
}

static void write_host(struct output *output) {
    struct utsname system;
    char host[sizeof system] = "";
    if (uname(&system) == 0) {
        snprintf(host, sizeof host, "%s, %s %s %s", system.nodename, system.sysname, system.release, system.machine);
    }
    output_metadata(output, "host", host);
}

static void write_command(struct output *output, int argc, char **argv) {
    struct written command;
    FILE *stream = memory_stream(&command);
    for (int i = 0; i < argc; i++) {
        fprintf(stream, "%s%s", i ? " " : "", argv[i]);
    }
    output_metadata(output, "command", memory_stream_end(&command));
    free(command.text);
}

void metadata_write_program(struct output *output, const struct probe *probe, int argc, char **argv) {
    char version[128], schema[16];
    snprintf(version, sizeof version, "%s %s", probe->name, version_text);
    snprintf(schema, sizeof schema, "%d", ROWS_SCHEMA);
    output_metadata(output, "bankshot", version);
    output_metadata(output, "schema", schema);
    write_date(output);
    write_host(output);
    write_command(output, argc, argv);
}

static void format_clocks(char *to, size_t size, const struct bench_device *b) {
    const struct device_info *info = &b->device->info;
    if (info->predicted) {
        snprintf(to, size, "%.0f MHz assumed", info->clock_mhz);
    } else if (info->clock_mhz > 0 && b->expected_clock_mhz > 0) {
        snprintf(to, size, "%.0f MHz stated, below %.0f MHz a sample counts as throttled", info->clock_mhz,
                 bench_device_throttled_mhz(b));
    } else if (info->clock_mhz > 0) {
        snprintf(to, size, "%.0f MHz stated", info->clock_mhz);
    } else if (b->expected_clock_mhz > 0) {
        snprintf(to, size, "%.0f MHz measured at the start", b->expected_clock_mhz);
    }
}

static void format_flush(char *to, size_t size, const struct bench_device *b) {
    if (isfinite(b->flush_probe_ratio)) {
        snprintf(to, size, "before each sample; a probe read after it took %.2f times a cached one",
                 b->flush_probe_ratio);
    }
}

static void format_memory(char *to, size_t size, const struct device_info *info) {
    const int length =
        snprintf(to, size, "%llu bytes, last-level cache %llu bytes", (unsigned long long)info->memory_bytes,
                 (unsigned long long)info->last_level_cache_bytes);
    if (info->reported_cache_bytes) {
        snprintf(to + length, size - (size_t)length, " as measured, %llu reported",
                 (unsigned long long)info->reported_cache_bytes);
    }
}

void metadata_write_device(struct output *output, const struct bench_device *b) {
    const struct device_info *info = &b->device->info;
    char overhead[64] = "";
    char clocks[128] = "";
    char flush[128] = "";
    char memory[128];
    char instructions[DEVICE_TEXT];
    if (isfinite(b->launch_overhead_ns)) {
        snprintf(overhead, sizeof overhead, "%.0f ns for an empty kernel", b->launch_overhead_ns);
    }
    format_clocks(clocks, sizeof clocks, b);
    format_flush(flush, sizeof flush, b);
    format_memory(memory, sizeof memory, info);
    device_instructions_by(b->device, instructions, sizeof instructions);
    const struct {
        const char *key, *value;
    } lines[] = {
        {"device", info->name},       {"driver", info->driver},          {"runtime", info->runtime},
        {"compiler", info->compiler}, {"instructions by", instructions}, {"memory", memory},
        {"clocks", clocks},           {"launch overhead", overhead},     {"cache flush", flush},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char key[128];
        snprintf(key, sizeof key, "%s %s", info->spec, lines[i].key);
        output_metadata(output, key, lines[i].value);
    }
}

// ---- The rows of a file ----

static enum status cannot(const struct row_file *file, const char *what, enum status status, struct error *error) {
    return error_set(error, status, "%s: cannot be %s: %s", file->path ? file->path : "standard output", what,
                     strerror(errno));
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

// "-" is standard output. A file is locked until it is closed, and refused if another process has locked it
// (STATUS_USAGE).
static enum status row_file_open(struct row_file *file, const char *path, struct error *error) {
    struct stat info;
    *file = (struct row_file){.file = stdout};
    if (standard_output_is(path)) {
        return STATUS_OK;
    }
    file->path = path;
    const int descriptor = open_locked(path, &file->created);
    if (descriptor < 0 && errno == EWOULDBLOCK) {
        file->file = NULL;
        return error_set(error, STATUS_USAGE, "%s: another run writes it: wait for that run, or name another file",
                         path);
    }
    file->file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file->file) {
        return file_cannot_write(path, STATUS_USAGE, errno, error);
    }
    if (file->created) {
        leftover_add(file->path);
    }
    file->waits = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
    return STATUS_OK;
}

// Whether the file can be complete after each row, which rewrites its end. Where standard output is a file, it must not
// be open for appending, because no earlier place of it could be written.
static bool row_file_is_regular(const struct row_file *file) {
    struct stat info;
    const int descriptor = fileno(file->file);
    return fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && !(fcntl(descriptor, F_GETFL) & O_APPEND);
}

// Writes all of the text or none of it: if the disk is full, the part already written is cut off again.
static enum status write_through(struct row_file *file, const char *text, size_t length, struct error *error) {
    const int descriptor = fileno(file->file);
    if (descriptor < 0) { // it is in memory, and memory_stream_end sees faults
        fwrite(text, 1, length, file->file);
        return STATUS_OK;
    }
    const off_t start = lseek(descriptor, 0, SEEK_CUR);
    size_t done = 0;
    while (done < length) {
        const ssize_t written = write(descriptor, text + done, length - done);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            const int saved = errno;
            if (start >= 0 && ftruncate(descriptor, start) == 0) {
                lseek(descriptor, start, SEEK_SET);
            }
            errno = saved;
            return cannot(file, "written: the rows before are kept", STATUS_FAILED, error);
        }
        done += (size_t)written;
    }
    return STATUS_OK;
}

// Replaces the file's old content with the head. If the head cannot be written, the file waits for the next row,
// because rows without a head cannot be read.
static enum status begin_rows(struct row_file *file, struct error *error) {
    if (!file->waits) {
        return STATUS_OK;
    }
    if (ftruncate(fileno(file->file), 0) != 0) {
        return cannot(file, "written", STATUS_FAILED, error);
    }
    if (!file->draft) {
        leftover_forget(file->path);
        file->created = false;
    }
    TRY(write_through(file, file->head, file->head_length, error));
    file->waits = false;
    return STATUS_OK;
}

// Writes to a new file what it holds without a row: the head, and this text, so that it is whole even if the process is
// killed before its first row. An old file stays as it is.
static enum status row_file_write_empty(struct row_file *file, const char *ending, size_t length, struct error *error) {
    if (!file->created || !file->waits) {
        return STATUS_OK;
    }
    enum status status = write_through(file, file->head, file->head_length, error);
    THEN(status, write_through(file, ending, length, error));
    lseek(fileno(file->file), 0, SEEK_SET); // the first row begins the file again
    return status;
}

// If there was no row, an old file stays as it was and a new one is removed. `whole` says that the run ended well; then
// even a head without rows replaces the old file.
static enum status row_file_close(struct row_file *file, bool whole, struct error *error) {
    if (!file->file || !file->path) {
        return STATUS_OK;
    }
    enum status status = whole ? begin_rows(file, error) : STATUS_OK;
    free(file->head);
    if (file->created) {
        unlink(file->path); // still locked, so no other process has it
        leftover_forget(file->path);
    }
    if (fclose(file->file) != 0 && status == STATUS_OK) {
        status = cannot(file, "closed", STATUS_FAILED, error);
    }
    *file = (struct row_file){0};
    return status;
}

// ---- Rewriting all rows ----

static int lock_draft(struct file_draft *draft, const char *path) {
    int descriptor = -1;
    if (file_draft_create(draft, path, &descriptor) == 0 && descriptor >= 0) {
        flock(descriptor, LOCK_EX | LOCK_NB); // nobody else has it yet
    }
    return descriptor;
}

// The old file itself, emptied.
static int emptied(const struct row_file *file) {
    const int descriptor = dup(fileno(file->file));
    if (descriptor >= 0 && (ftruncate(descriptor, 0) != 0 || lseek(descriptor, 0, SEEK_SET) != 0)) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

// Begins the new content of a regular file, which is written like another file and takes the old one's place at once in
// row_file_replace. Where no file can be created beside it, the old content is removed.
static enum status row_file_begin_again(struct row_file *again, const struct row_file *file, struct error *error) {
    *again = (struct row_file){.path = file->path, .waits = true, .draft = memory_zeros(1, sizeof *again->draft)};
    int descriptor = lock_draft(again->draft, file->path);
    if (descriptor < 0) {
        free(again->draft);
        again->draft = NULL;
        descriptor = emptied(file);
    }
    again->file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    return again->file ? STATUS_OK : cannot(file, "written", STATUS_FAILED, error);
}

static void forget(struct row_file *file) {
    free(file->head);
    free(file->draft);
    fclose(file->file);
    *file = (struct row_file){0};
}

// Gives up the new content.
static void row_file_give_up(struct row_file *again) {
    if (again->draft) {
        file_draft_finish(again->draft, ECANCELED);
    }
    if (again->file) {
        forget(again);
    }
}

// If it fails, the caller gives up the new content.
static enum status row_file_replace(struct row_file *file, struct row_file *again, struct error *error) {
    TRY(begin_rows(again, error));
    const int fault = again->draft ? file_draft_finish(again->draft, 0) : 0;
    free(again->draft);
    again->draft = NULL;
    if (fault) {
        errno = fault;
        return cannot(file, "replaced: the rows before are kept", STATUS_FAILED, error);
    }
    forget(file);
    *file = *again;
    *again = (struct row_file){0};
    return STATUS_OK;
}

// ---- Texts ----

// Writes a line of a table, or what precedes the first row, which a file that waits for that row keeps until then.
static enum status text_end(struct written *text, struct row_file *file, struct error *error) {
    memory_stream_end(text);
    if (file->waits) {
        file->head = text->text;
        file->head_length = text->length;
        return STATUS_OK;
    }
    const enum status status = write_through(file, text->text, text->length, error);
    free(text->text);
    return status;
}

// Writes a row; the first one replaces the old content by the head. When this returns, the system has the row. If it
// fails, the rows before it are still whole. The text's last `ending` bytes are what must follow the last row: the next
// row replaces them.
static enum status text_end_row(struct written *text, struct row_file *file, size_t ending, struct error *error) {
    memory_stream_end(text);
    enum status status = begin_rows(file, error);
    if (status == STATUS_OK && file->ending > 0) {
        lseek(fileno(file->file), -(off_t)file->ending, SEEK_CUR);
        file->ending = 0;
    }
    THEN(status, write_through(file, text->text, text->length, error));
    file->ending = status == STATUS_OK ? ending : 0;
    free(text->text);
    return status;
}

// ---- JSON ----

static void begin_object(struct json_rows *json, FILE *file) {
    json->writer = json_writer(file);
    json_begin_object(&json->writer, NULL);
    json_begin_object(&json->writer, "metadata");
}

static void write_columns(struct json_writer *writer) {
    static const char *const types[] = {[COLUMN_TEXT] = "string", [COLUMN_COUNT] = "integer", [COLUMN_REAL] = "number"};
    json_begin_array(writer, "columns");
    for (size_t i = 0; i < ROW_COLUMN_COUNT; i++) {
        json_begin_object(writer, NULL);
        json_write_text(writer, "name", row_column_name(i));
        json_write_text(writer, "type", types[row_column_type(i)]);
        json_write_text(writer, "unit", row_column_unit(i));
        json_end(writer);
    }
    json_end(writer);
}

// Closes the object in the text, and leaves it open for the writer. Returns the length of what was added.
static size_t close_object(const struct json_rows *json, const struct written *text) {
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
    struct written text;
    json->writer.file = memory_stream(&text);
    if (json->writer.depth == 0) { // there is no head
        begin_object(json, text.stream);
    }
    return text_end_row(&text, &json->file, close_object(json, &text), error);
}

// Makes a file without rows a whole object, as far as it can be changed again.
static enum status end_empty(struct json_rows *json, struct error *error) {
    struct written text;
    if (!json->file.path) {
        return row_file_is_regular(&json->file) ? write_ending(json, error) : STATUS_OK;
    }
    json->writer.file = memory_stream(&text);
    close_object(json, &text);
    memory_stream_end(&text);
    const enum status status = row_file_write_empty(&json->file, text.text, text.length, error);
    free(text.text);
    return status;
}

// Writes what precedes the rows. A regular file is a whole object from then on, and after each row.
static enum status write_json_head(struct output *output, struct error *error) {
    struct json_rows *json = &output->json;
    struct written text;
    begin_object(json, memory_stream(&text));
    for (size_t i = 0; i < output->note_count; i++) {
        json_write_text(&json->writer, output->notes[i].key, output->notes[i].value);
    }
    json_end(&json->writer); // of the metadata
    write_columns(&json->writer);
    json_begin_array(&json->writer, "rows");
    const enum status status = text_end(&text, &json->file, error);
    if (status != STATUS_OK) { // nothing of it is written
        json->writer = (struct json_writer){0};
        return status;
    }
    return end_empty(json, error);
}

static void write_fields(struct json_writer *writer, const struct row *row) {
    char field[ROW_TEXT];
    json_begin_object(writer, NULL);
    for (size_t i = 0; i < ROW_COLUMN_COUNT; i++) {
        if (*row_field(row, i, field) && row_column_type(i) == COLUMN_TEXT) {
            json_write_text(writer, row_column_name(i), field);
        } else if (*field) {
            json_write_number(writer, row_column_name(i), field);
        }
    }
    json_end(writer);
}

static enum status json_rows_row(struct json_rows *json, const struct row *row, struct error *error) {
    const struct json_writer before = json->writer;
    struct written text;
    json->writer.file = memory_stream(&text);
    write_fields(&json->writer, row);
    const enum status status =
        text_end_row(&text, &json->file, row_file_is_regular(&json->file) ? close_object(json, &text) : 0, error);
    if (status != STATUS_OK) { // makes the rows before a whole object again
        json->writer = before;
        write_ending(json, NULL);
    }
    return status;
}

static enum status json_rows_close(struct json_rows *json, bool whole, struct error *error) {
    const bool complete = json->file.ending > 0 || (json->file.waits && !whole);
    enum status status = complete || !json->file.file ? STATUS_OK : write_ending(json, error);
    const enum status closed = row_file_close(&json->file, whole, status == STATUS_OK ? error : NULL);
    return status == STATUS_OK ? closed : status;
}

enum status output_open(struct output *output, const struct output_paths *paths, struct error *error) {
    *output = (struct output){.file = stdout,
                              .has_table = !paths->csv && !paths->json,
                              .style = {terminal_has_colour(stdout), terminal_columns(stdout)},
                              .heading_due = true};
    enum status status = STATUS_OK;
    if (paths->csv) {
        status = row_file_open(&output->csv, paths->csv, error);
    }
    if (paths->json) {
        THEN(status, row_file_open(&output->json.file, paths->json, error));
    }
    if (status != STATUS_OK) {
        output_close(output, false, NULL);
    }
    return status;
}

bool output_is_standard(const struct output *output) {
    return output->csv.file == stdout || output->json.file.file == stdout;
}

void output_metadata(struct output *output, const char *key, const char *value) {
    if (!*value || output->has_table) {
        return;
    }
    output->notes = memory_room(output->notes, output->note_count, sizeof *output->notes);
    output->notes[output->note_count++] = (struct output_note){memory_copy(key), memory_copy(value)};
}

static enum status write_csv_head(struct output *output, struct error *error) {
    struct written text;
    FILE *file = memory_stream(&text);
    for (size_t i = 0; i < output->note_count; i++) {
        fprintf(file, "# %s: ", output->notes[i].key);
        for (const char *at = output->notes[i].value; *at; at++) {
            fputc((unsigned char)*at < ' ' ? ' ' : *at, file);
        }
        fputc('\n', file);
    }
    for (size_t i = 0; i < ROW_COLUMN_COUNT; i++) {
        fprintf(file, "%s%s", i ? "," : "", row_column_name(i));
    }
    fputc('\n', file);
    return text_end(&text, &output->csv, error);
}

enum status output_begin(struct output *output, struct error *error) {
    if (output->begun) {
        return STATUS_OK;
    }
    output->begun = true;
    if (output->csv.file) {
        TRY(write_csv_head(output, error));
    }
    return output->json.file.file ? write_json_head(output, error) : STATUS_OK;
}

void output_section(struct output *output, const struct table *table) {
    output->heading_due = output->heading_due || !table_same_columns(&output->table, table);
    output->table = *table;
}

static enum status write_table_row(struct output *output, const struct row *row, struct error *error) {
    struct row_file terminal = {.file = output->file};
    struct written text;
    FILE *file = memory_stream(&text);
    if (output->heading_due) {
        fputs(output->headed ? "\n" : "", file);
        table_write_heading(&output->table, file);
        output->headed = true;
        output->heading_due = false;
    }
    table_write_row(&output->table, output->style, row, file);
    return text_end(&text, &terminal, error);
}

static enum status write_csv_fields(struct output *output, const struct row *row, struct error *error) {
    struct written line;
    char field[ROW_TEXT];
    FILE *file = memory_stream(&line);
    for (size_t i = 0; i < ROW_COLUMN_COUNT; i++) {
        fputs(i ? "," : "", file);
        csv_write_field(file, row_field(row, i, field));
    }
    fputc('\n', file);
    return text_end_row(&line, &output->csv, 0, error);
}

// Whether the rows in it can be replaced.
static bool is_file(const struct row_file *file) {
    return file->path && row_file_is_regular(file); // not standard output, whichever file that is
}

bool output_has_files(const struct output *output) {
    return is_file(&output->csv) || is_file(&output->json.file);
}

static bool takes(const struct row_file *file, enum output_sinks sinks) {
    return file->file && (sinks & (is_file(file) ? OUTPUT_FILES : OUTPUT_STREAMS));
}

enum status output_row_to(struct output *output, enum output_sinks sinks, const struct row *row, struct error *error) {
    if (!(sinks & OUTPUT_STREAMS) && !output_has_files(output)) {
        return STATUS_OK;
    }
    TRY(output_begin(output, error));
    if (output->has_table && (sinks & OUTPUT_STREAMS)) {
        TRY(write_table_row(output, row, error));
    }
    if (takes(&output->csv, sinks)) {
        TRY(write_csv_fields(output, row, error));
    }
    return takes(&output->json.file, sinks) ? json_rows_row(&output->json, row, error) : STATUS_OK;
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
        TRY(row_file_begin_again(&again->json.file, &output->json.file, error));
    }
    return output_begin(again, error);
}

enum status output_rewrite(struct output *output, output_rows *write_rows, void *context, struct error *error) {
    struct output again;
    enum status status = begin_again(&again, output, error);
    THEN(status, write_rows(context, &again, error));
    if (again.csv.file) {
        THEN(status, row_file_replace(&output->csv, &again.csv, error));
    }
    if (again.json.file.file) {
        THEN(status, row_file_replace(&output->json.file, &again.json.file, error));
        output->json.writer = status == STATUS_OK ? again.json.writer : output->json.writer;
    }
    row_file_give_up(&again.csv);
    row_file_give_up(&again.json.file);
    return status;
}

enum status output_close(struct output *output, bool whole, struct error *error) {
    enum status status = whole && !output->has_table ? output_begin(output, error) : STATUS_OK;
    const enum status rows = row_file_close(&output->csv, whole, status == STATUS_OK ? error : NULL);
    THEN(status, rows);
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
