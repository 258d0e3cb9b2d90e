#include "util/csv.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/version.h"

// ---- Reading ----

enum {
    RECORD_MAX = 1 << 20 // no row is longer, but a file without line ends is
};

// Editors put a byte order mark before the text.
static void skip_mark(FILE *file) {
    const int first = getc(file);
    if (first != 0xEF) {
        ungetc(first, file);
    } else if (getc(file) != 0xBB || getc(file) != 0xBF) {
        rewind(file);
    }
}

enum status csv_reader_open(struct csv_reader *reader, const char *path, struct error *error) {
    struct stat info;
    *reader = (struct csv_reader){.path = path};
    reader->file = fopen(path, "re");
    if (reader->file && fstat(fileno(reader->file), &info) == 0 && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
    } else if (reader->file) {
        skip_mark(reader->file);
        return STATUS_OK;
    }
    const int reason = errno;
    csv_reader_close(reader);
    return error_set(error, STATUS_USAGE, "%s: cannot be read: %s", path, strerror(reason));
}

void csv_reader_from(struct csv_reader *reader, FILE *file, const char *path) {
    *reader = (struct csv_reader){.file = file, .path = path};
}

void csv_reader_close(struct csv_reader *reader) {
    if (reader->torn) {
        fprintf(stderr, "%s: %s:%llu: the last line is torn, and left out: run what wrote the file again to have it\n",
                program_invocation_short_name, reader->path, (unsigned long long)reader->torn);
    }
    if (reader->file) {
        fclose(reader->file);
    }
    free(reader->text);
    free(reader->starts);
    names_clear(&reader->names);
    *reader = (struct csv_reader){0};
}

static enum status refuse(const struct csv_reader *reader, const char *what, struct error *error) {
    return error_set(error, STATUS_USAGE, "%s:%llu: %s: run what wrote the file again", reader->path,
                     (unsigned long long)reader->line, what);
}

static enum status append(struct csv_reader *reader, char character, struct error *error) {
    if (reader->length == RECORD_MAX) {
        return refuse(reader, "the line is too long for a CSV file", error);
    }
    if (reader->length == reader->room) {
        reader->text = memory_room(reader->text, reader->room++, 1);
    }
    reader->text[reader->length++] = character;
    return STATUS_OK;
}

static void begin_field(struct csv_reader *reader) {
    if (reader->count == reader->starts_room) {
        reader->starts = memory_room(reader->starts, reader->starts_room++, sizeof *reader->starts);
    }
    reader->starts[reader->count++] = reader->length;
}

static void begin_record(struct csv_reader *reader) {
    reader->line = reader->lines + 1;
    reader->length = reader->count = 0;
}

static int take(struct csv_reader *reader) {
    const int character = getc_unlocked(reader->file);
    reader->lines += character == '\n';
    return character;
}

// Reads to the quote that closes the field; *character becomes what follows it.
static enum status read_quoted(struct csv_reader *reader, int *character, struct error *error) {
    enum status status = STATUS_OK;
    for (;;) {
        int c = take(reader);
        if (c == '"') {
            c = take(reader);
            if (c != '"') {
                *character = c;
                return status;
            }
        }
        if (c == EOF && reader->lines < reader->line) {
            *character = EOF; // of a torn line
            return status;
        }
        if (c == EOF || c == '\0') {
            return refuse(reader, "a quote is opened and not closed", error);
        }
        TRY(append(reader, (char)c, error));
    }
}

static bool ends_field(int character) {
    return character == ',' || character == '\n' || character == '\r' || character == EOF;
}

// Reads a field whose first character is *character, which becomes the one that ends it.
static enum status read_field(struct csv_reader *reader, int *character, struct error *error) {
    begin_field(reader);
    if (*character == '"') {
        TRY(read_quoted(reader, character, error));
        if (!ends_field(*character)) {
            return refuse(reader, "text follows a quoted field", error);
        }
    }
    while (!ends_field(*character)) {
        if (*character == '"' || *character == '\0') {
            return refuse(reader, "a quote or a zero byte stands within a field", error);
        }
        TRY(append(reader, (char)*character, error));
        *character = take(reader);
    }
    return append(reader, '\0', error);
}

// After a record, its line must end with "\n" or "\r\n".
static enum status end_record(struct csv_reader *reader, int character, struct error *error) {
    if (character == '\r') {
        character = take(reader);
    }
    if (ferror(reader->file)) {
        return error_set(error, STATUS_USAGE, "%s: cannot be read: %s", reader->path, strerror(errno));
    }
    return character == '\n' ? STATUS_OK : refuse(reader, "the line is torn, it has no end", error);
}

// The same column may mean something else in rows of a later schema.
static enum status check_schema(const struct csv_reader *reader, struct error *error) {
    static const char key[] = " schema: ";
    const char *text = csv_reader_field(reader, 0);
    const long schema = strncmp(text, key, strlen(key)) == 0 ? strtol(text + strlen(key), NULL, 10) : 0;
    if (schema > ROWS_SCHEMA) {
        return error_set(error, STATUS_USAGE,
                         "%s: its rows have schema %ld, and this version knows %d: read it with a newer bankshot",
                         reader->path, schema, ROWS_SCHEMA);
    }
    return STATUS_OK;
}

// Reads a line that begins with '#' as the only field, without the '#'. *found is false if the next line does not.
static enum status read_remark(struct csv_reader *reader, bool *found, struct error *error) {
    const int first = getc_unlocked(reader->file);
    begin_record(reader);
    *found = first == '#';
    if (!*found) {
        ungetc(first, reader->file);
        return STATUS_OK;
    }
    begin_field(reader);
    int character = take(reader);
    for (; character != '\n' && character != EOF; character = take(reader)) {
        TRY(append(reader, (char)character, error));
    }
    TRY(append(reader, '\0', error));
    TRY(end_record(reader, character, error));
    return check_schema(reader, error);
}

enum status csv_reader_next(struct csv_reader *reader, bool *found, struct error *error) {
    begin_record(reader);
    int character = take(reader);
    *found = character != EOF;
    if (!*found) {
        return ferror(reader->file) ? end_record(reader, character, error) : STATUS_OK;
    }
    TRY(read_field(reader, &character, error));
    while (character == ',') {
        character = take(reader);
        TRY(read_field(reader, &character, error));
    }
    if (character == EOF && !ferror(reader->file)) {
        reader->torn = reader->line;
        *found = false;
        return STATUS_OK;
    }
    TRY(end_record(reader, character, error));
    if (reader->columns > 0 && reader->count != reader->columns) {
        return error_set(error, STATUS_USAGE,
                         "%s:%llu: the row has %zu fields, and the header %zu: run what wrote the file again",
                         reader->path, (unsigned long long)reader->line, reader->count, reader->columns);
    }
    return STATUS_OK;
}

enum status csv_reader_header(struct csv_reader *reader, csv_remark_taker *taker, void *context, struct error *error) {
    bool found = true;
    while (found) {
        TRY(read_remark(reader, &found, error));
        if (found && taker) {
            taker(context, csv_reader_field(reader, 0));
        }
    }
    TRY(csv_reader_next(reader, &found, error));
    if (!found) {
        return error_set(error, STATUS_USAGE, "%s: there is no header line in it: run the probe again", reader->path);
    }
    reader->columns = reader->count;
    for (size_t i = 0; i < reader->count; i++) {
        names_number(&reader->names, csv_reader_field(reader, i));
    }
    return STATUS_OK;
}

size_t csv_reader_column(const struct csv_reader *reader, const char *name) {
    const size_t column = names_find(&reader->names, name);
    return column < reader->names.count ? column : SIZE_MAX;
}

enum status csv_reader_check_header(const struct csv_reader *reader, struct error *error) {
    size_t i = 0;
    while (i < reader->count && csv_reader_column(reader, csv_reader_field(reader, i)) == i) {
        i++;
    }
    return i == reader->count
               ? STATUS_OK
               : error_set(error, STATUS_USAGE, "%s:%llu: the column %.60s is there twice: leave one out", reader->path,
                           (unsigned long long)reader->line, csv_reader_field(reader, i));
}

const char *csv_reader_field(const struct csv_reader *reader, size_t field) {
    return field < reader->count ? reader->text + reader->starts[field] : "";
}

const char *csv_reader_text(const struct csv_reader *reader, const char *column) {
    return csv_reader_field(reader, csv_reader_column(reader, column));
}

enum status csv_reader_number(const struct csv_reader *reader, const char *text, const char *column, bool below_0,
                              double *number, struct error *error) {
    char *end;
    *number = *text ? strtod(text, &end) : NAN;
    if (!*text || (end != text && !*end && isfinite(*number) && (below_0 || *number >= 0))) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "%s:%llu: %s is '%.40s', not a number%s: run the probe again", reader->path,
                     (unsigned long long)reader->line, column, text, below_0 ? "" : " from 0 on");
}

// ---- The files of a folder ----

// Escapes what glob() would take for a pattern.
static bool make_pattern(char pattern[PATH_MAX], const char *folder, const char *files) {
    size_t length = 0;
    for (; *folder && length + 2 < PATH_MAX; folder++) {
        if (strchr("\\*?[", *folder)) {
            pattern[length++] = '\\';
        }
        pattern[length++] = *folder;
    }
    return !*folder && (size_t)snprintf(pattern + length, PATH_MAX - length, "%s", files) < PATH_MAX - length;
}

// A folder comes before those whose names go on after its own: h200, then h200-x2.
static int compare_paths(const void *left, const void *right) {
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    for (; *a && *a == *b; a++, b++) {
    }
    const int first = *a == '/' ? 0 : (unsigned char)*a, second = *b == '/' ? 0 : (unsigned char)*b;
    return (first > second) - (first < second);
}

// A folder in it that cannot be read may hold rows.
static enum status find_files(glob_t *files, const char *folder, struct error *error) {
    static const char *const places[] = {"/*.csv", "/*/*.csv"};
    char pattern[PATH_MAX];
    size_t own = 0;
    *files = (glob_t){0};
    for (size_t i = 0; i < 2; i++) {
        own = files->gl_pathc;
        if (make_pattern(pattern, folder, places[i]) &&
            glob(pattern, GLOB_ERR | (i > 0 ? GLOB_APPEND : 0), NULL, files) == GLOB_ABORTED) {
            return error_set(error, STATUS_USAGE, "%s: it or a folder in it cannot be read: %s", folder,
                             strerror(errno));
        }
    }
    if (files->gl_pathc > own) {
        qsort(files->gl_pathv + own, files->gl_pathc - own, sizeof *files->gl_pathv, compare_paths);
    }
    return STATUS_OK;
}

static enum status read_folder(const char *path, csv_file_reader *read, void *context, size_t *foreign_count,
                               struct error *error) {
    glob_t files;
    enum status status = find_files(&files, path, error);
    for (size_t i = 0; i < files.gl_pathc && status == STATUS_OK; i++) {
        bool foreign = false;
        status = read(context, files.gl_pathv[i], &foreign, error);
        if (foreign) {
            (*foreign_count)++;
            status = STATUS_OK;
        }
    }
    globfree(&files);
    return status;
}

enum status csv_files_read(const char *path, csv_file_reader *read, void *context, size_t *foreign_count,
                           struct error *error) {
    struct stat info;
    bool foreign = false;
    *foreign_count = 0;
    if (stat(path, &info) != 0) {
        return error_set(error, STATUS_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    }
    return S_ISDIR(info.st_mode) ? read_folder(path, read, context, foreign_count, error)
                                 : read(context, path, &foreign, error);
}

// ---- Writing ----

void csv_write_field(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, file);
    }
    fputc('"', file);
}
